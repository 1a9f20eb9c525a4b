//! The one parallel map.
//!
//! Work item `i` writes slot `i` and nothing else, so results do not depend on how many threads
//! there are or which of them is quick. It runs on the pool of the caller: wrap a call in
//! [`with_threads`] to choose the number.

use rayon::prelude::*;

/// `[f(0), f(1), .. f(count - 1)]`, evaluated on the threads of the current pool.
pub fn map<R: Send>(count: usize, f: impl Fn(usize) -> R + Sync + Send) -> Vec<R> {
    if count <= 1 || rayon::current_num_threads() == 1 {
        (0..count).map(f).collect()
    } else {
        (0..count).into_par_iter().with_max_len(1).map(f).collect()
    }
}

/// The same over the items of a slice, each of which is handed out for writing.
pub fn map_mut<T: Send, R: Send>(
    items: &mut [T],
    f: impl Fn(usize, &mut T) -> R + Sync + Send,
) -> Vec<R> {
    if items.len() <= 1 || rayon::current_num_threads() == 1 {
        items.iter_mut().enumerate().map(|(i, item)| f(i, item)).collect()
    } else {
        items.par_iter_mut().enumerate().with_max_len(1).map(|(i, item)| f(i, item)).collect()
    }
}

/// Runs `work` with a pool of `threads` threads; on the current pool if none can be made.
pub fn with_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_kept_at_any_number_of_threads() {
        let expected: Vec<usize> = (0..1000).map(|i| i * i).collect();
        for threads in [1, 2, 8] {
            assert_eq!(with_threads(threads, || map(1000, |i| i * i)), expected);
        }
        assert!(map(0, |i| i).is_empty());
    }
}
