use super::*;

const FAMILY: &str = "👨‍👩‍👧‍👦";

#[test]
fn every_platform_takes_a_text_of_its_limit_and_not_one_more() {
    for (platform, unit) in [
        (Platform::Twitter, "a"),
        (Platform::Bluesky, "a"),
        (Platform::Threads, "a"),
        (Platform::Mastodon, "a"),
        (Platform::Instagram, "a"),
        (Platform::Tiktok, "a"),
        (Platform::Linkedin, "a"),
        (Platform::Bluesky, "漢"),
        (Platform::Bluesky, "e\u{301}"),
        (Platform::Mastodon, "漢"),
        (Platform::Mastodon, FAMILY),
        (Platform::Threads, "漢"),
        (Platform::Instagram, "漢"),
        (Platform::Linkedin, "ж"),
    ] {
        let limits = platform.limits();

        assert!(limits.allows(&unit.repeat(limits.length_max)), "{platform} {unit}");
        assert!(!limits.allows(&unit.repeat(limits.length_max + 1)), "{platform} {unit}");
    }
    assert!(NO_PLATFORM.allows(&"漢".repeat(2_200)));
    assert!(!NO_PLATFORM.allows(&"漢".repeat(2_201)));
}

#[test]
fn twitter_weighs_characters_by_its_own_table() {
    let length = |text: &str| Platform::Twitter.limits().length(text);
    for (text, expected) in [
        ("", 0),
        ("abc", 3),
        ("é", 1),
        ("\u{10ff}", 1),
        ("\u{1100}", 2),
        ("漢字", 4),
        ("–", 1),
        ("’", 1),
        ("…", 2),
        ("€", 2),
        ("😀", 2),
        (FAMILY, 2),
        ("👍🏽", 2),
        ("🇪🇹", 2),
        ("1\u{fe0f}\u{20e3}", 2),
        ("❤\u{fe0f}", 2),
        ("e\u{301}", 2),
        ("😀\u{301}\u{301}", 4),
    ] {
        assert_eq!(length(text), expected, "{text:?}");
    }
}

#[test]
fn twitter_takes_140_ideographs_or_emoji_and_not_141() {
    for unit in ["漢", "😀", FAMILY, "🇪🇹"] {
        let limits = Platform::Twitter.limits();

        assert!(limits.allows(&unit.repeat(140)), "{unit}");
        assert!(!limits.allows(&format!("{}a", unit.repeat(140))), "{unit}");
    }
}

#[test]
fn a_link_counts_23_on_twitter_and_mastodon_however_long_it_is() {
    let long = format!("https://example.com/{}", "x".repeat(400));
    for link in ["https://a.io", "http://example.com?q=1", long.as_str()] {
        assert_eq!(Platform::Twitter.limits().length(&format!("see {link}.")), 4 + 23 + 1, "{link}");
        assert_eq!(Platform::Mastodon.limits().length(&format!("see {link}.")), 4 + 23 + 1, "{link}");
        assert_eq!(Platform::Bluesky.limits().length(link), link.len(), "{link}");
    }
    assert!(Platform::Twitter.limits().allows(&format!("{} {long}", "a".repeat(256))));
    assert!(!Platform::Twitter.limits().allows(&format!("{} {long}", "a".repeat(257))));
}

#[test]
fn what_is_no_link_is_counted_in_full_and_a_bare_domain_at_least_as_a_link() {
    let length = |text: &str| Platform::Twitter.limits().length(text);

    assert_eq!(length("https://localhost/aaaaaaaaaaaaaaaaaaaaaaaaaaaa"), 46);
    assert_eq!(length("example.com"), 23);
    assert_eq!(length("and so.This"), 4 + 23);
    assert_eq!(length("version 2.5"), 11);
}

#[test]
fn threads_counts_an_emoji_by_its_bytes_and_the_utf16_platforms_by_two() {
    assert_eq!(Platform::Threads.limits().length("a😀"), 5);
    assert!(Platform::Threads.limits().allows(&"😀".repeat(125)));
    assert!(!Platform::Threads.limits().allows(&"😀".repeat(126)));
    assert!(Platform::Tiktok.limits().allows(&"😀".repeat(1_100)));
    assert!(!Platform::Tiktok.limits().allows(&"😀".repeat(1_101)));
}

#[test]
fn bluesky_also_limits_bytes() {
    assert!(Platform::Bluesky.limits().allows(&FAMILY.repeat(120)));
    assert!(!Platform::Bluesky.limits().allows(&FAMILY.repeat(121)));
}

#[test]
fn instagram_takes_thirty_hashtags_and_not_one_more() {
    let tags = |count: usize| (0..count).map(|number| format!("#tag{number}")).collect::<Vec<_>>().join(" ");

    assert!(Platform::Instagram.limits().allows(&tags(30)));
    assert!(!Platform::Instagram.limits().allows(&tags(31)));
    assert!(Platform::Linkedin.limits().allows(&tags(31)));
}

#[test]
fn hashtags_need_a_letter() {
    assert_eq!(hashtags("#one, (#two) #3 a#b # #été!").collect::<Vec<_>>(), ["one", "two", "été"]);
    assert_eq!(hashtags("#AI-made #>x $#y #snake_case_ #a.b/c").collect::<Vec<_>>(), ["AI", "snake_case", "a"]);
}

#[test]
fn unknown_platforms_are_refused_with_the_known_ones() {
    for name in ["", "Twitter", "x", "myspace", " twitter"] {
        let error = name.parse::<Platform>().unwrap_err();
        assert!(error.to_string().contains("bluesky"), "{error}");
    }
}
