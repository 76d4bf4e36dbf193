//! `think`, `endless_extend_tree`.

mod queue;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use bookwork::endless::{Endless, EndlessSummary, grow};
use bookwork::think::{DepthTold, Task, Think};
use bookwork::{BookEvent, BookSummary, StopReason};
use farm::{EnginePool, RunControl};
use shogi_core::ByColor;
use yane_book::db::LineEnd;
use yane_book::extend_tree::ExtendTree;
use yane_book::positions::Wanted;
use yane_book::{Job, Silent};
use yane_cli::{INTERRUPTED, UsageError};
use yane_io::Shard;

use super::grow::TO_CONTINUE;
use super::records::{inputs_and_output, on_fault};
use super::{list_faults, text_books};
use crate::cli::{EndlessArgs, EngineArgs, LimitArgs, Role, ThinkArgs};
use crate::print;
use crate::settings::Settings;
use crate::thinking::{Screen, Style, end, engine_pool, lines, plain};

/// Searches the positions of records.
pub(crate) fn think(args: ThinkArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let role = args.queue.role()?;
    let (inputs, book) = inputs_and_output("think", args.files, args.bw)?;
    text_books("think", &[&book])?;
    let mut options = Think::new(inputs, book);
    limit(&mut options, &args.limits, settings);
    options.wanted = Wanted {
        first: args.limits.startmoves.max(1),
        last: args.moves,
        on_fault: on_fault(args.strict),
    };
    options.depth = args.depth;
    if role == Role::Alone {
        // Tasks of an array that share a queue share all positions.
        options.shard = shard(args.cluster.as_deref(), args.shard)?;
    }
    let job = settings.job()?;
    let run = Run::new(&args.limits, &args.engines, job, settings);
    let lease = args.queue.lease();
    match role {
        Role::Alone => run.alone(options),
        Role::Server(url) => run.serve(options, url, lease),
        Role::Worker(url) => run.work(&options, url, lease),
    }
}

/// Everything that a run needs besides its options.
struct Run<'a> {
    control: RunControl,
    limits: &'a LimitArgs,
    engines: &'a EngineArgs,
    job: Job,
    settings: &'a Settings,
}

impl<'a> Run<'a> {
    fn new(
        limits: &'a LimitArgs,
        engines: &'a EngineArgs,
        job: Job,
        settings: &'a Settings,
    ) -> Self {
        Self {
            control: RunControl::with_flag(Arc::clone(&job.cancelled)),
            limits,
            engines,
            job,
            settings,
        }
    }

    fn alone(&self, options: Think) -> anyhow::Result<ExitCode> {
        let reading = self.settings.part_of(&self.job);
        let task = Task::prepare(options, &reading).map_err(plain)?;
        drop(reading);
        list_faults(task.faults());
        if task.counts().to_do == 0 {
            let summary = task.leave().map_err(plain)?;
            return print_result(&summary, lines(&summary), None, self.settings);
        }
        let pool = match self.engine_pool() {
            Ok(pool) => pool,
            Err(error) => {
                task.leave().map_err(plain)?;
                return Err(error);
            }
        };
        let screen = screen(self.limits, self.settings, &pool);
        let result = task.run(&pool, &self.control, &|event: &BookEvent<'_>| {
            screen.on_event(event);
        });
        screen.clear();
        let summary = result.map_err(plain)?;
        print_result(&summary, lines(&summary), Some(&screen), self.settings)
    }

    fn endless_alone(&self, options: &Endless) -> anyhow::Result<ExitCode> {
        let pool = self.engine_pool()?;
        let screen = screen(self.limits, self.settings, &pool);
        let result = grow(
            options,
            &pool,
            &self.control,
            &self.job,
            &|event: &BookEvent<'_>| {
                screen.on_event(event);
            },
        );
        self.end_endless(result, &screen)
    }

    /// Prints how a book grew by itself.
    fn end_endless(
        &self,
        result: bookwork::Result<EndlessSummary>,
        screen: &Screen,
    ) -> anyhow::Result<ExitCode> {
        screen.clear();
        let growth = result.map_err(plain)?;
        match growth.reason {
            StopReason::NothingLeft => screen.note("No line leads to anything new."),
            StopReason::Rounds => screen.note("Reached --loop."),
            // Shown at the end.
            _ => {}
        }
        let summary = &growth.summary;
        print_result(summary, lines(summary), Some(screen), self.settings)
    }

    fn engine_pool(&self) -> anyhow::Result<EnginePool> {
        engine_pool(self.engines, self.job.threads, &[])
    }
}

/// Grows a book by itself.
pub(crate) fn endless(args: EndlessArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let role = args.queue.role()?;
    text_books("endless_extend_tree", &[&args.book])?;
    let mut think = Think::new(Vec::new(), args.book);
    limit(&mut think, &args.limits, settings);
    think.wanted = Wanted {
        first: args.limits.startmoves.max(1),
        last: args.moves,
        ..Wanted::default()
    };
    think.depth = args.depth;
    let usual = ExtendTree::default();
    let options = Endless {
        think,
        roots: args.roots,
        list: args.list,
        extend: ExtendTree {
            eval_limit: ByColor([args.black_eval_limit, args.white_eval_limit]),
            extend_range: match args.extend_range.as_deref() {
                Some(&[min, max]) => Some((min, max)),
                _ => None,
            },
            max_game_ply: args.max_game_ply,
            ignore_book_ply: args.ignore_book_ply,
            all_leaves: args.all_leaves,
            ..usual
        },
        rounds: args.loops,
    };
    let job = Job {
        progress: Arc::new(Silent),
        ..settings.job()?
    };
    std::fs::metadata(&options.roots).map_err(yane_io::Error::io(&options.roots))?;
    let run = Run::new(&args.limits, &args.engines, job, settings);
    let lease = args.queue.lease();
    match role {
        Role::Alone => run.endless_alone(&options),
        Role::Server(url) => run.serve_endless(&options, url, lease),
        Role::Worker(url) => run.work_endless(&options, url, lease),
    }
}

/// The limits of both commands.
fn limit(options: &mut Think, args: &LimitArgs, settings: &Settings) {
    options.nodes = Some(args.nodes).filter(|&nodes| nodes > 0);
    options.time = Some(Duration::from_millis(args.time)).filter(|time| !time.is_zero());
    options.lines = args.multipv.into();
    if args.reached_depth {
        options.depth_told = DepthTold::Reached;
    }
    options.count = args.count;
    options.keeps_hash = args.keep_hash;
    options.save_interval = Duration::from_secs(args.book_save_interval);
    options.think_timeout = Duration::from_secs(args.think_timeout);
    options.flush = args.journal_flush.0;
    options.line_end = settings.line_end_or(LineEnd::CrLf);
}

fn screen(args: &LimitArgs, settings: &Settings, pool: &EnginePool) -> Screen {
    let style = Style {
        quiet: settings.quiet(),
        json: settings.json(),
        classic: args.classic_progress,
    };
    Screen::new(style, pool)
}

/// The shard of this process: by the command line, or else by the cluster's scheduler.
fn shard(cluster: Option<&[u64]>, shard: Option<Shard>) -> anyhow::Result<Shard> {
    if let Some(&[part, parts]) = cluster {
        let shard = part.checked_sub(1).and_then(|part| Shard::new(part, parts));
        let wrong = || UsageError(format!("cluster {part} {parts}: expected X from 1 to Y"));
        return Ok(shard.ok_or_else(wrong)?);
    }
    let shard = match shard {
        Some(shard) => Some(shard),
        None => Shard::from_scheduler(|name| std::env::var(name).ok())
            .map_err(|error| UsageError(error.to_string()))?,
    };
    Ok(shard.unwrap_or(Shard::WHOLE))
}

/// Prints the result of a run, as `lines` or as an event; the exit code.
fn print_result(
    summary: &BookSummary,
    lines: impl IntoIterator<Item = String>,
    screen: Option<&Screen>,
    settings: &Settings,
) -> anyhow::Result<ExitCode> {
    if settings.json() {
        print::json(&end(summary))?;
    } else {
        if screen.is_some_and(Screen::has_marked) {
            print::lines([""])?;
        }
        print::lines(lines)?;
    }
    Ok(if !summary.is_complete {
        if let Some(screen) = screen {
            screen.note(TO_CONTINUE);
        }
        ExitCode::from(INTERRUPTED)
    } else if summary.given_up > 0 {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}
