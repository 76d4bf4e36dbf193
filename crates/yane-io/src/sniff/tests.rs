use super::*;

fn kind(bytes: &[u8]) -> FileKind {
    FileKind::of(&Head::of(bytes), &[])
}

#[test]
fn files_with_a_signature_are_named() {
    let mut tar = vec![b'a'; 512];
    tar[257..262].copy_from_slice(b"ustar");
    for (bytes, expected) in [
        (&b"\x1f\x8b\x08\x00\0\0\0\0"[..], GZIP),
        (b"PK\x03\x04\x14\0", ZIP),
        (b"7z\xbc\xaf\x27\x1c\0\x04", SEVEN_ZIP),
        (b"\x28\xb5\x2f\xfd\x04", ZSTD),
        (b"\xfd7zXZ\0\0\x04", XZ),
        (b"BZh91AY&SY", BZIP2),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", PNG),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", JPEG),
        (b"%PDF-1.7\n", PDF),
        (b"SQLite format 3\0\x10\0", SQLITE),
        (b"\x7fELF\x02\x01", PROGRAM),
        (b"Rar!\x1a\x07\x01\0", RAR),
        (b"\x20\x20-lh5-xxxx", LHA),
        (b"YANE-BINBOOK-V1\0\0\0", YBB),
        (b"\x16\x2f\xf3\x7a\0\0\0\0", EVAL),
        (b"\xff\xfe\0\0s\0\0\0", UTF32),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 12\n",
            GIT_LFS,
        ),
        (&tar, TAR),
        (b"", EMPTY),
        (&[0; 100], ZEROS),
        (b"\x01\x02\x03\x04\xff\xfe\xfd", BINARY),
    ] {
        assert_eq!(kind(bytes), expected, "{bytes:?}");
    }
}

#[test]
fn text_formats_are_recognised_by_their_words() {
    for (text, expected) in [
        ("<!DOCTYPE html>\n<html><body>404</body>", HTML),
        ("\r\n  <HTML>", HTML),
        ("<?xml version=\"1.0\"?>\n<html xmlns=\"x\">", HTML),
        ("<?xml version=\"1.0\"?>\n<kml>", XML),
        ("{\"header\": {}}", JSON),
        ("[ {\"sfen\": 1}]", JSON),
        ("#YANEURAOU-DB2016 1.00\nsfen x", DB),
        ("#YANEURAOU-POLICY-DB2024 1.01\n", POLICY_DB),
        ("#KIF version=2.0 encoding=UTF-8\n手合割：平手\n", KIF),
        ("# ---- Kifu for Windows V7 ----\n", KIF),
        ("手合割：平手\n手数----指手---------消費時間--\n", KIF),
        (
            "開始日時：2020/01/01\n先手：甲\n後手：乙\n\n▲７六歩 △３四歩\n",
            KI2,
        ),
        ("▲７六歩    △３四歩\n", KI2),
        ("   1 ７六歩(77)   ( 0:01/00:00:01)\n   2 ３四歩(33)\n", KIF),
        ("'comment\nV2.2\nN+A\nN-B\nPI\n+\n+7776FU\n", CSA),
        ("N+A\nN-B\nP1-KY-KE\n", CSA),
        ("PI\n+\n+7776FU\n", CSA),
        ("startpos moves 7g7f 3c3d\n", TEXT),
        (
            "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n",
            TEXT,
        ),
        ("# 定跡 ▲ of people\nstartpos moves 7g7f\n", TEXT),
        ("position startpos\n", TEXT),
        ("7g7f 3c3d\n", TEXT),
        ("NOE\n", TEXT),
        ("V\n", TEXT),
    ] {
        assert_eq!(kind(text.as_bytes()), expected, "{text}");
        // The same in what Windows makes of it.
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        let utf16: Vec<u8> = units.flat_map(u16::to_le_bytes).collect();
        assert_eq!(kind(&utf16), expected, "{text}");
        let marked = format!("\u{feff}{text}");
        assert_eq!(kind(marked.as_bytes()), expected, "{text}");
    }
}

#[test]
fn records_in_shift_jis_are_named() {
    // 手合割：平手, then the head of the moves.
    let kif = b"\x8e\xe8\x8d\x87\x8a\x84\x81\x46\x95\xbd\x8e\xe8\r\n\x8e\xe8\x90\x94----\x8e\x77\x8e\xe8---\r\n";
    assert_eq!(kind(kif), KIF);
    // 先手：A, then ▲７六歩.
    let ki2 = b"\x90\xe6\x8e\xe8\x81\x46A\r\n\x81\xa3\x82\x56\x98\x5a\x95\xe0\r\n";
    assert_eq!(kind(ki2), KI2);
    // A comment in Shift JIS makes no record.
    assert_eq!(kind(b"# \x92\xe8\x90\xd5\nstartpos moves 7g7f\n"), TEXT);
}

#[test]
fn what_is_expected_is_accepted() {
    let path = Path::new("games.db");
    let expected = Expected {
        accepts: &[DB],
        ..Expected::text("a book in the .db format")
    };
    assert!(
        expected
            .check(path, &Head::of(b"#YANEURAOU-DB2016 1.00\n"))
            .is_ok()
    );
    assert!(expected.check(path, &Head::of(b"sfen 9/9 b - 1\n")).is_ok());
    let error = expected.check(path, &Head::of(b"")).unwrap_err();
    let text = "games.db: this is an empty file; expected a book in the .db format";
    assert_eq!(error.to_string(), text);
    let error = expected.check(path, &Head::of(b"PI\n+\n")).unwrap_err();
    let text = "games.db: this is a game record in the CSA format; expected a book in the .db format; \
                convert it to USI moves (startpos moves ...) first";
    assert_eq!(error.to_string(), text);
}

#[test]
fn a_few_odd_bytes_do_not_make_text_binary() {
    let mut text = b"startpos moves 7g7f 3c3d\n".repeat(20);
    text[30] = 0;
    assert_eq!(kind(&text), TEXT);
}

#[test]
fn the_length_is_that_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("positions.bin");
    for len in [0, 5, Head::LEN, Head::LEN + 7] {
        std::fs::write(&path, vec![1; len]).unwrap();
        let head = Head::read(&path).unwrap();
        assert_eq!(head.file_len(), Some(len as u64));
        assert_eq!(head.bytes().len(), len.min(Head::LEN));
    }
    assert!(Head::read(folder.path()).is_err());
}
