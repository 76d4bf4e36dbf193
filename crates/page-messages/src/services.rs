//! Several services as one.

use std::sync::Arc;

use crate::{AllPages, Effort, EventSink, PageFailure, PageRequest, PageService, StopFlag};

/// Several services as one: each request goes to the first that knows its operation.
#[derive(Default)]
pub struct PageServices {
    services: Vec<Box<dyn PageService>>,
}

impl PageServices {
    /// Adds a service after those that are there.
    #[must_use]
    pub fn with(mut self, service: impl PageService + 'static) -> Self {
        self.services.push(Box::new(service));
        self
    }
}

impl PageService for PageServices {
    fn start(&self, pages: &Arc<dyn AllPages>) {
        for service in &self.services {
            service.start(pages);
        }
    }

    fn capabilities(&self) -> Vec<String> {
        let services = self.services.iter();
        services.flat_map(|one| one.capabilities()).collect()
    }

    fn effort(&self, op: &str) -> Option<Effort> {
        self.services.iter().find_map(|one| one.effort(op))
    }

    fn seat(&self, request: &PageRequest) -> String {
        let mut services = self.services.iter();
        let known = services.find(|one| one.effort(&request.op).is_some());
        known.map(|one| one.seat(request)).unwrap_or_default()
    }

    fn answer(
        &self,
        request: &PageRequest,
        sink: &dyn EventSink,
        stop: &StopFlag,
    ) -> Result<(), PageFailure> {
        let mut services = self.services.iter();
        match services.find(|one| one.effort(&request.op).is_some()) {
            Some(service) => service.answer(request, sink, stop),
            None => Err(PageFailure::new(format!(
                "'{}' is no operation",
                request.op
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use serde_json::{Value, json};

    use super::*;

    struct One(&'static str);

    impl PageService for One {
        fn capabilities(&self) -> Vec<String> {
            vec![self.0.to_owned()]
        }

        fn effort(&self, op: &str) -> Option<Effort> {
            (op == self.0 || op == "both").then_some(Effort::Quick)
        }

        fn seat(&self, _: &PageRequest) -> String {
            self.0.to_owned()
        }

        fn answer(
            &self,
            _: &PageRequest,
            sink: &dyn EventSink,
            _: &StopFlag,
        ) -> Result<(), PageFailure> {
            sink.event(self.0, json!({}));
            Ok(())
        }
    }

    #[derive(Default)]
    struct Names(RefCell<Vec<String>>);

    impl EventSink for Names {
        fn event(&self, name: &str, _: Value) {
            self.0.borrow_mut().push(name.to_owned());
        }

        fn state(&self, _: &str, _: u64, _: Value) {}

        fn broadcast(&self, _: &str, _: Value) {}
    }

    #[test]
    fn requests_go_to_the_first_service_that_knows_them() {
        let services = PageServices::default().with(One("a")).with(One("b"));
        assert_eq!(services.capabilities(), ["a", "b"]);
        let names = Names::default();
        let stop = StopFlag::default();
        for op in ["b", "both", "a"] {
            assert_eq!(services.effort(op), Some(Effort::Quick));
            let request = PageRequest::new(1, op, json!({}));
            services.answer(&request, &names, &stop).unwrap();
        }
        assert_eq!(*names.0.borrow(), ["b", "a", "a"]);
        let seat = |op| services.seat(&PageRequest::new(1, op, json!({})));
        assert_eq!(["a", "b", "both", "c"].map(seat), ["a", "b", "a", ""]);
        assert_eq!(services.effort("c"), None);
        let unknown = PageRequest::new(1, "c", json!({}));
        let failure = services.answer(&unknown, &names, &stop).unwrap_err();
        assert_eq!(failure.text, "'c' is no operation");
    }
}
