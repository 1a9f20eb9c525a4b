//! A progress bar with the time left, on standard error and only on a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

/// Progress of a number of equal steps.
pub struct Bar {
    bar: ProgressBar,
}

impl Bar {
    /// A bar of `steps` steps; invisible unless standard error is a terminal.
    pub fn new(steps: u64, label: &str) -> Self {
        let target = if std::io::stderr().is_terminal() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(steps), target);
        if let Ok(style) =
            ProgressStyle::with_template("{msg} [{bar:30}] {pos}/{len} tasks, {eta} left")
        {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message(label.to_owned());
        bar.enable_steady_tick(Duration::from_millis(500));
        Self { bar }
    }

    /// One step is done.
    pub fn advance(&self) {
        self.bar.inc(1);
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
