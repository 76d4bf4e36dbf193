//! What is seen of books that grow by themselves.

use bookwork::{mine, stera};
use serde_json::json;

use super::Screen;

impl stera::Grower for Screen {
    fn step(&self, step: &stera::Step<'_>) {
        match step {
            stera::Step::Begun {
                seats,
                positions,
                incomplete,
                finished,
                limit,
                lost,
            } => {
                if *incomplete > 0 {
                    self.say(&format!(
                        "{incomplete} positions are left out: they lack a legal move"
                    ));
                }
                if *finished > 0 {
                    self.say(&format!("going on after {finished} positions"));
                }
                if *lost > 0 {
                    self.say(&format!("{lost} bytes that a crash cut off are left out"));
                }
                self.say(&format!(
                    "{positions} positions, {seats} searched at a time"
                ));
                self.event(
                    &json!({"event": "begin", "seats": seats, "positions": positions,
                    "incomplete": incomplete, "finished": finished, "limit": limit}),
                );
                self.start(Some(*limit), *finished);
            }
            stera::Step::Grown { root_value, grown } => {
                let value =
                    root_value.map_or_else(String::new, |value| format!("root {value:+}  "));
                self.tell(format!("book {}  {value}", grown.positions));
                self.event(&json!({"event": "grown", "positions": grown.positions,
                    "finished": grown.finished, "root_value": root_value}));
            }
            _ => {}
        }
    }
}

impl mine::Miner for Screen {
    fn step(&self, step: &mine::Step<'_>) {
        match step {
            mine::Step::Resumed { round, thought } => {
                self.say(&format!(
                    "going on in round {round} after {thought} positions"
                ));
                self.whole_job(self.whole(), *thought);
                self.event(&json!({"event": "resumed", "round": round, "thought": thought}));
            }
            mine::Step::Listed {
                round,
                peta,
                found,
                chosen,
            } => {
                let positions = peta.map_or(0, |peta| peta.positions);
                self.say(&format!(
                    "round {round}: {positions} positions, best lines lead to {found} others, \
                     {chosen} to think about"
                ));
                self.tell(format!("round {round}  "));
                self.event(
                    &json!({"event": "listed", "round": round, "positions": positions,
                    "found": found, "chosen": chosen}),
                );
            }
            mine::Step::Grown { summary } => {
                self.clear();
                self.event(&json!({"event": "grown", "thought": summary.thought}));
            }
            mine::Step::Finished { peta } => {
                self.event(&json!({"event": "finished", "positions": peta.positions}));
            }
            _ => {}
        }
    }
}
