//! Three-piece evaluations: the values of another program, incremental sums, files.

mod kppt {
    mod files;
    mod golden;
    mod incremental;
    mod synthetic;
}
