//! Any bytes are hcpe records, each good or faulty; good ones come back from their bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pack_format::Hcpe;
use pack_format::record::{RecordReader, TeacherRecord, records};
use yaneura_fuzz::check_position;

fuzz_target!(|bytes: &[u8]| {
    let read: Vec<_> = records::<Hcpe>(bytes).collect();
    assert_eq!(read.len(), bytes.len().div_ceil(Hcpe::LEN));
    let streamed = RecordReader::<_, Hcpe>::new(bytes);
    for (record, streamed) in read.iter().zip(streamed) {
        assert_eq!(record.is_ok(), streamed.is_ok());
        match record {
            Err(error) => assert!(!error.to_string().is_empty()),
            Ok(record) => {
                let mut written = Vec::new();
                record.write_to(&mut written);
                assert_eq!(Hcpe::from_bytes(&written), Ok(*record));
                match record.open() {
                    Ok((position, mv)) => {
                        assert!(mv.is_none_or(|mv| position.is_legal(mv)));
                        check_position(&position);
                    }
                    Err(fault) => assert!(!fault.to_string().is_empty()),
                }
            }
        }
    }
});
