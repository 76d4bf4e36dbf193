//! What a page may start of these commands.

#[test]
fn the_kinds_of_jobs_fit_the_command_line() {
    let described = yane_cli::shell::description(yaneura::command().name("yaneura"));
    let described = serde_json::from_value(described).unwrap();
    let mut problems = run_watch::ProgramJobs::problems(&described);
    // A program without this command offers no such job.
    problems.retain(|problem| problem != "yaneura.analyze: there is no command 'analyze'");
    assert!(problems.is_empty(), "{problems:#?}");
}
