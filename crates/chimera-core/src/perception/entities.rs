//! Characters that are written by name or number: `&eacute;`, `&#233;`.

/// The longest name, `&thetasym;`, the longest number, `&#x10FFFF;`, and a little more.
const REFERENCE_BYTES_MAX: usize = 12;

/// `character` is told what stands between `&` and `;`. What it does not know stays as it is.
pub fn decoded(text: &str, character: impl Fn(&str) -> Option<char>) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let name_end = rest.bytes().take(REFERENCE_BYTES_MAX).position(|byte| byte == b';');
        match name_end.and_then(|end| Some((character(&rest[..end])?, end))) {
            Some((c, end)) => {
                plain.push(c);
                rest = &rest[end + 1..];
            }
            None => plain.push('&'),
        }
    }
    plain.push_str(rest);
    plain
}

/// Of `#233` and `#xE9`.
pub fn number_of(name: &str) -> Option<u32> {
    let number = name.strip_prefix('#')?;
    match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => number.parse().ok(),
    }
}

/// Those of HTML 4, in the order of bytes.
#[rustfmt::skip]
const NAMES: [(&str, char); 253] = [
    ("AElig", 'Æ'), ("Aacute", 'Á'), ("Acirc", 'Â'), ("Agrave", 'À'), ("Alpha", 'Α'), ("Aring", 'Å'), ("Atilde", 'Ã'), ("Auml", 'Ä'),
    ("Beta", 'Β'), ("Ccedil", 'Ç'), ("Chi", 'Χ'), ("Dagger", '‡'), ("Delta", 'Δ'), ("ETH", 'Ð'), ("Eacute", 'É'), ("Ecirc", 'Ê'),
    ("Egrave", 'È'), ("Epsilon", 'Ε'), ("Eta", 'Η'), ("Euml", 'Ë'), ("Gamma", 'Γ'), ("Iacute", 'Í'), ("Icirc", 'Î'), ("Igrave", 'Ì'),
    ("Iota", 'Ι'), ("Iuml", 'Ï'), ("Kappa", 'Κ'), ("Lambda", 'Λ'), ("Mu", 'Μ'), ("Ntilde", 'Ñ'), ("Nu", 'Ν'), ("OElig", 'Œ'),
    ("Oacute", 'Ó'), ("Ocirc", 'Ô'), ("Ograve", 'Ò'), ("Omega", 'Ω'), ("Omicron", 'Ο'), ("Oslash", 'Ø'), ("Otilde", 'Õ'), ("Ouml", 'Ö'),
    ("Phi", 'Φ'), ("Pi", 'Π'), ("Prime", '″'), ("Psi", 'Ψ'), ("Rho", 'Ρ'), ("Scaron", 'Š'), ("Sigma", 'Σ'), ("THORN", 'Þ'), ("Tau", 'Τ'),
    ("Theta", 'Θ'), ("Uacute", 'Ú'), ("Ucirc", 'Û'), ("Ugrave", 'Ù'), ("Upsilon", 'Υ'), ("Uuml", 'Ü'), ("Xi", 'Ξ'), ("Yacute", 'Ý'),
    ("Yuml", 'Ÿ'), ("Zeta", 'Ζ'), ("aacute", 'á'), ("acirc", 'â'), ("acute", '´'), ("aelig", 'æ'), ("agrave", 'à'), ("alefsym", 'ℵ'),
    ("alpha", 'α'), ("amp", '&'), ("and", '∧'), ("ang", '∠'), ("apos", '\''), ("aring", 'å'), ("asymp", '≈'), ("atilde", 'ã'),
    ("auml", 'ä'), ("bdquo", '„'), ("beta", 'β'), ("brvbar", '¦'), ("bull", '•'), ("cap", '∩'), ("ccedil", 'ç'), ("cedil", '¸'),
    ("cent", '¢'), ("chi", 'χ'), ("circ", 'ˆ'), ("clubs", '♣'), ("cong", '≅'), ("copy", '©'), ("crarr", '↵'), ("cup", '∪'),
    ("curren", '¤'), ("dArr", '⇓'), ("dagger", '†'), ("darr", '↓'), ("deg", '°'), ("delta", 'δ'), ("diams", '♦'), ("divide", '÷'),
    ("eacute", 'é'), ("ecirc", 'ê'), ("egrave", 'è'), ("empty", '∅'), ("emsp", '\u{2003}'), ("ensp", '\u{2002}'), ("epsilon", 'ε'),
    ("equiv", '≡'), ("eta", 'η'), ("eth", 'ð'), ("euml", 'ë'), ("euro", '€'), ("exist", '∃'), ("fnof", 'ƒ'), ("forall", '∀'),
    ("frac12", '½'), ("frac14", '¼'), ("frac34", '¾'), ("frasl", '⁄'), ("gamma", 'γ'), ("ge", '≥'), ("gt", '>'), ("hArr", '⇔'),
    ("harr", '↔'), ("hearts", '♥'), ("hellip", '…'), ("iacute", 'í'), ("icirc", 'î'), ("iexcl", '¡'), ("igrave", 'ì'), ("image", 'ℑ'),
    ("infin", '∞'), ("int", '∫'), ("iota", 'ι'), ("iquest", '¿'), ("isin", '∈'), ("iuml", 'ï'), ("kappa", 'κ'), ("lArr", '⇐'),
    ("lambda", 'λ'), ("lang", '〈'), ("laquo", '«'), ("larr", '←'), ("lceil", '⌈'), ("ldquo", '“'), ("le", '≤'), ("lfloor", '⌊'),
    ("lowast", '∗'), ("loz", '◊'), ("lrm", '\u{200E}'), ("lsaquo", '‹'), ("lsquo", '‘'), ("lt", '<'), ("macr", '¯'), ("mdash", '—'),
    ("micro", 'µ'), ("middot", '·'), ("minus", '−'), ("mu", 'μ'), ("nabla", '∇'), ("nbsp", '\u{A0}'), ("ndash", '–'), ("ne", '≠'),
    ("ni", '∋'), ("not", '¬'), ("notin", '∉'), ("nsub", '⊄'), ("ntilde", 'ñ'), ("nu", 'ν'), ("oacute", 'ó'), ("ocirc", 'ô'),
    ("oelig", 'œ'), ("ograve", 'ò'), ("oline", '‾'), ("omega", 'ω'), ("omicron", 'ο'), ("oplus", '⊕'), ("or", '∨'), ("ordf", 'ª'),
    ("ordm", 'º'), ("oslash", 'ø'), ("otilde", 'õ'), ("otimes", '⊗'), ("ouml", 'ö'), ("para", '¶'), ("part", '∂'), ("permil", '‰'),
    ("perp", '⊥'), ("phi", 'φ'), ("pi", 'π'), ("piv", 'ϖ'), ("plusmn", '±'), ("pound", '£'), ("prime", '′'), ("prod", '∏'), ("prop", '∝'),
    ("psi", 'ψ'), ("quot", '"'), ("rArr", '⇒'), ("radic", '√'), ("rang", '〉'), ("raquo", '»'), ("rarr", '→'), ("rceil", '⌉'),
    ("rdquo", '”'), ("real", 'ℜ'), ("reg", '®'), ("rfloor", '⌋'), ("rho", 'ρ'), ("rlm", '\u{200F}'), ("rsaquo", '›'), ("rsquo", '’'),
    ("sbquo", '‚'), ("scaron", 'š'), ("sdot", '⋅'), ("sect", '§'), ("shy", '\u{AD}'), ("sigma", 'σ'), ("sigmaf", 'ς'), ("sim", '∼'),
    ("spades", '♠'), ("sub", '⊂'), ("sube", '⊆'), ("sum", '∑'), ("sup", '⊃'), ("sup1", '¹'), ("sup2", '²'), ("sup3", '³'), ("supe", '⊇'),
    ("szlig", 'ß'), ("tau", 'τ'), ("there4", '∴'), ("theta", 'θ'), ("thetasym", 'ϑ'), ("thinsp", '\u{2009}'), ("thorn", 'þ'),
    ("tilde", '˜'), ("times", '×'), ("trade", '™'), ("uArr", '⇑'), ("uacute", 'ú'), ("uarr", '↑'), ("ucirc", 'û'), ("ugrave", 'ù'),
    ("uml", '¨'), ("upsih", 'ϒ'), ("upsilon", 'υ'), ("uuml", 'ü'), ("weierp", '℘'), ("xi", 'ξ'), ("yacute", 'ý'), ("yen", '¥'),
    ("yuml", 'ÿ'), ("zeta", 'ζ'), ("zwj", '\u{200D}'), ("zwnj", '\u{200C}'),
];

pub(super) fn named(name: &str) -> Option<char> {
    NAMES.binary_search_by(|(known, _)| known.cmp(&name)).ok().map(|place| NAMES[place].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found() {
        for (name, c) in NAMES {
            assert_eq!(named(name), Some(c), "{name}");
        }
        assert_eq!(named("nosuch"), None);
    }
}
