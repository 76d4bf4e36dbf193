//! Files through the public interface.

mod bulk_file;
