//! What a page may start of these commands.

#[test]
fn the_kinds_of_jobs_fit_the_command_line() {
    let described = yane_cli::shell::description(arena::command().name("arena"));
    let described = serde_json::from_value(described).unwrap();
    let problems = run_watch::ProgramJobs::problems(&described);
    assert!(problems.is_empty(), "{problems:#?}");
}
