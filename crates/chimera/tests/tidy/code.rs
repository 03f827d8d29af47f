//! Rust source without what the rules must not see: comments, the contents of literals, and test modules. Lines keep their numbers.

/// `source` with comments and the contents of string and character literals blanked.
pub(crate) fn without_text(source: &str) -> String {
    blanked(source, |_| true)
}

/// `source` with the contents of its literals blanked, and its comments left.
pub(crate) fn without_literals(source: &str) -> String {
    blanked(source, |text| text[0] != '/')
}

/// `source` with those of its comments and literals blanked that `is_unwanted` picks.
fn blanked(source: &str, is_unwanted: impl Fn(&[char]) -> bool) -> String {
    let chars: Vec<char> = source.chars().collect();
    let mut code = String::with_capacity(source.len());
    let mut at = 0;
    while at < chars.len() {
        let text = &chars[at..at + text_length(&chars, at)];
        if text.is_empty() {
            code.push(chars[at]);
            at += 1;
        } else {
            let unwanted = is_unwanted(text);
            code.extend(text.iter().map(|c| if unwanted && *c != '\n' { ' ' } else { *c }));
            at += text.len();
        }
    }
    code
}

/// `code` with its `#[cfg(test)]` items blanked.
pub(crate) fn without_tests(code: &str) -> String {
    let mut kept = code.to_owned();
    while let Some(start) = kept.find("#[cfg(test)]") {
        let end = item_end(&kept, start);
        let blank: String = kept[start..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
        kept.replace_range(start..end, &blank);
    }
    kept
}

/// Where the item that begins at `start` ends: after its block, or after its semicolon when it has none.
pub(crate) fn item_end(code: &str, start: usize) -> usize {
    let mut braces = 0_usize;
    let mut others = 0_usize;
    for (offset, byte) in code[start..].bytes().enumerate() {
        match byte {
            b'{' => braces += 1,
            b'(' | b'[' => others += 1,
            b')' | b']' => others = others.saturating_sub(1),
            b'}' => {
                braces = braces.saturating_sub(1);
                if braces == 0 && others == 0 {
                    return start + offset + 1;
                }
            }
            b';' if braces == 0 && others == 0 => return start + offset + 1,
            _ => {}
        }
    }
    code.len()
}

/// Where `word` stands as a whole word or path in `code`: nothing of a longer name touches it.
pub(crate) fn occurrences<'code>(code: &'code str, word: &'code str) -> impl Iterator<Item = usize> + 'code {
    let part_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let starts_name = word.starts_with(part_of_name);
    let ends_name = word.ends_with(part_of_name);
    code.match_indices(word).map(|(at, _)| at).filter(move |at| {
        let before = code[..*at].chars().next_back().is_some_and(part_of_name);
        let after = code[at + word.len()..].chars().next().is_some_and(part_of_name);
        let touched = (starts_name && before) || (ends_name && after);
        !touched
    })
}

/// The line of a byte offset, counted from 1.
pub(crate) fn line_of(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}

/// The length of the comment or literal that begins at `at`, or 0.
fn text_length(chars: &[char], at: usize) -> usize {
    let rest = &chars[at..];
    match rest {
        ['/', '/', ..] => rest.iter().position(|c| *c == '\n').unwrap_or(rest.len()),
        ['/', '*', ..] => block_comment_length(rest),
        ['"', ..] => string_length(rest),
        ['\'', '\\', ..] => 3 + rest[3..].iter().position(|c| *c == '\'').map_or(0, |end| end + 1),
        // A lifetime has no closing quote.
        ['\'', _, '\'', ..] => 3,
        ['r', '#' | '"', ..] if !follows_name(chars, at) => raw_string_length(rest),
        _ => 0,
    }
}

/// `br"…"` begins with a name's character too.
fn follows_name(chars: &[char], at: usize) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    match chars[..at] {
        [.., before, 'b' | 'c'] => is_name(before),
        ['b' | 'c'] | [] => false,
        [.., before] => is_name(before),
    }
}

fn block_comment_length(rest: &[char]) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        match rest[at..] {
            ['/', '*', ..] => (depth, at) = (depth + 1, at + 2),
            ['*', '/', ..] if depth == 1 => return at + 2,
            ['*', '/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    rest.len()
}

fn string_length(rest: &[char]) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            '\\' => at += 2,
            '"' => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// 0 for a raw identifier such as `r#type`.
fn raw_string_length(rest: &[char]) -> usize {
    let hashes = rest[1..].iter().take_while(|c| **c == '#').count();
    if rest.get(1 + hashes) != Some(&'"') {
        return 0;
    }
    let body = 2 + hashes;
    let closes = |at: &usize| rest[*at] == '"' && rest[at + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes;
    (body..rest.len()).find(closes).map_or(rest.len(), |at| at + 1 + hashes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blanked_and_code_stays() {
        for (source, code) in [
            ("a // dbg!\nb", "a        \nb"),
            ("a /* /* x */ y */ b", "a                 b"),
            (r#"f("a\"b", 'c', '\'', '\u{7f}')"#, "f(      ,    ,     ,         )"),
            (r###"r#"a"b"# + r"\""###, "         +     "),
            ("fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}"),
            ("let r#type = br\"x\";", "let r#type = b    ;"),
            ("\"two\nlines\" c", "    \n       c"),
        ] {
            assert_eq!(without_text(source).trim_end(), code.trim_end(), "{source}");
        }
    }

    #[test]
    fn comments_can_be_kept() {
        assert_eq!(without_literals("f(\"TODO\") // TODO"), "f(      ) // TODO");
    }

    #[test]
    fn test_items_are_blanked_with_their_block_or_semicolon() {
        assert_eq!(without_tests("a\n#[cfg(test)]\nmod tests {\n { } }\nb").trim_start_matches('a').trim(), "b");
        assert_eq!(without_tests("#[cfg(test)]\nmod tests;\nb").trim(), "b");
    }

    #[test]
    fn words_are_found_whole() {
        assert_eq!(occurrences("env::x my_env::y std::env::z", "env::").collect::<Vec<_>>(), [0, 22]);
    }
}
