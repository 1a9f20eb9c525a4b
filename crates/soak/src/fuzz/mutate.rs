//! Sound files made unsound, by bytes, by words and by numbers.

use baton_numerics::random::Stream;

/// Words that parsers trip over, in every format that is read here.
const WORDS: [&str; 40] = [
    "",
    "0",
    "-0",
    "-1",
    "1e308",
    "1e999",
    "-1e999",
    "1e-320",
    "NaN",
    "nan",
    "inf",
    "null",
    "true",
    "[]",
    "{}",
    "[[",
    "]]",
    "{\"\":{}}",
    "\"",
    "\\",
    "\\u0000",
    "\\ud800",
    ",",
    ",,",
    "\n",
    "\r\n",
    "\t",
    "=",
    "#",
    "'",
    "'''",
    "\"\"\"",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "0x7f",
    "1_000",
    "\u{FEFF}",
    "ä",
    "\u{1F600}",
];

/// A seed after some changes.
pub fn mutated(stream: &mut Stream, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = seeds[stream.below(seeds.len())].clone();
    // A quarter of the changes are single ones: the deepest get through.
    for _ in 0..=stream.below(4) {
        change(stream, &mut bytes, seeds);
    }
    bytes
}

fn change(stream: &mut Stream, bytes: &mut Vec<u8>, seeds: &[Vec<u8>]) {
    let at = stream.below(bytes.len() + 1);
    let end = at + stream.below((bytes.len() - at).min(24) + 1);
    match stream.below(9) {
        0 if at < bytes.len() => bytes[at] ^= 1 << stream.below(8),
        1 => drop(bytes.drain(at..end)),
        2 => {
            let copy = bytes[at..end].to_vec();
            splice(bytes, end, end, &copy);
        }
        3 => {
            let word = WORDS[stream.below(WORDS.len())];
            splice(bytes, at, at, word.as_bytes());
        }
        4 => bytes.truncate(at),
        5 => {
            let other = &seeds[stream.below(seeds.len())];
            let from = stream.below(other.len() + 1);
            let to = from + stream.below((other.len() - from).min(80) + 1);
            let piece = other[from..to].to_vec();
            splice(bytes, at, at, &piece);
        }
        6 => {
            // Many of one kind: deep nesting, long words.
            let one = WORDS[stream.below(WORDS.len())].as_bytes();
            let many = one.repeat(1 + stream.below(400));
            splice(bytes, at, at, &many);
        }
        _ => number(stream, bytes, at),
    }
}

fn splice(bytes: &mut Vec<u8>, from: usize, to: usize, piece: &[u8]) {
    drop(bytes.splice(from..to, piece.iter().copied()));
}

/// Replaces the next number by an extreme one, so that the rest of the file stays sound.
fn number(stream: &mut Stream, bytes: &mut Vec<u8>, at: usize) {
    let part = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
    let Some(from) = bytes[at..].iter().position(u8::is_ascii_digit).map(|i| at + i) else {
        return;
    };
    let to = bytes[from..].iter().position(|byte| !part(byte)).map_or(bytes.len(), |i| from + i);
    let word = WORDS[1 + stream.below(11)];
    splice(bytes, from, to, word.as_bytes());
}
