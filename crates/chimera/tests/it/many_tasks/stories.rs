//! Two hundred stories that never happened, put together from parts so that no two share more than one of them.

/// How many there are.
pub(super) const STORIES: usize = 200;

pub(super) struct Story {
    pub(super) goal: String,
    pub(super) title: String,
    pub(super) text: String,
    pub(super) url: String,
    pub(super) place: String,
}

/// Where its parts stand: actor, place, deed, circumstance, person, and what the person did later.
fn parts(number: usize) -> [usize; 6] {
    [
        number % ACTORS.len(),
        (number * 39 + number / 20) % PLACES.len(),
        (number * 13 + number / 5) % DEEDS.len(),
        (number * 2 + number / 5) % CIRCUMSTANCES.len(),
        (number * 27 + number / 40) % PEOPLE.len(),
        (number * 17 + number / 20) % LATER.len(),
    ]
}

pub(super) fn story(number: usize) -> Story {
    let [actor, place, deed, circumstance, person, later] = parts(number);
    let (actor, place, circumstance, person) = (ACTORS[actor], PLACES[place], CIRCUMSTANCES[circumstance], PEOPLE[person]);
    let (subject, deed) = DEEDS[deed];
    let deed = deed.replace("{}", &(number * 7 + 17).to_string());
    let later = LATER[later].replace("{}", &format!("{},{:03}", number % 9 + 1, number * 37 % 1_000));
    Story {
        goal: format!("Write about {subject} in {place}"),
        title: format!("{} in {place}", capitalised(subject)),
        text: format!("{actor} in {place} {deed} {circumstance}. {person} {later}."),
        url: format!("https://towns.example/{number}"),
        place: place.to_owned(),
    }
}

impl Story {
    /// As a feed has it.
    pub(super) fn item(&self) -> String {
        let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
        let Self { title, text, url, .. } = self;
        format!("<item><title>{}</title><description>{}</description><link>{url}</link></item>", escaped(title), escaped(text))
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

const ACTORS: [&str; 20] = [
    "Volunteers",
    "Two sisters",
    "A retired bus driver",
    "The town orchestra",
    "Pupils of the night school",
    "A team of bakers",
    "Gardeners",
    "The harbour master",
    "A club of amateur astronomers",
    "Nurses on their free days",
    "The oldest football club",
    "Apprentices",
    "A family of weavers",
    "Students of the music school",
    "Beekeepers",
    "The crew of the ferry",
    "Neighbours from one street",
    "A group of grandmothers",
    "Engineers without a job",
    "The volunteer fire brigade",
];

const DEEDS: [(&str, &str); 25] = [
    ("the repair of old radios", "repaired {} old radios and gave them to schools"),
    ("a library on wheels", "filled a library on wheels with {} books"),
    ("the return of the otters", "counted {} otters where nobody had seen one for decades"),
    ("solar roofs for schools", "covered school roofs with {} solar panels"),
    ("a bridge for pedestrians", "built a bridge for pedestrians from {} wooden beams"),
    ("the night bus", "won {} riders a week for the new night bus"),
    ("a seed bank", "collected {} kinds of seeds for a public seed bank"),
    ("the swimming lessons", "taught {} adults to swim"),
    ("a film about the mill", "finished a film about the mill with {} residents in it"),
    ("the bicycle workshop", "mended {} bicycles and lent them out for free"),
    ("rain gardens", "dug {} rain gardens along the main road"),
    ("the choir festival", "brought {} singers to the first choir festival"),
    ("a map of the footpaths", "drew a map of {} forgotten footpaths"),
    ("violins from driftwood", "carved {} violins from driftwood"),
    ("the tool library", "lent {} drills, saws and ladders from the tool library"),
    ("the apple archive", "grafted {} rare apple trees"),
    ("free eye tests", "offered {} free eye tests in the market hall"),
    ("the weather station", "read {} measurements from a weather station made of scrap"),
    ("the bread oven", "baked {} loaves in a shared bread oven"),
    ("the harbour clean-up", "pulled {} tyres out of the harbour"),
    ("a school for robots", "trained {} small robots to sort buttons"),
    ("the sign language café", "served {} guests in the sign language café"),
    ("the owl boxes", "hung {} owl boxes in barns and towers"),
    ("the mural on the silo", "painted a mural on the silo with {} litres of paint"),
    ("the chess tables", "set up {} chess tables in parks"),
];

const CIRCUMSTANCES: [&str; 21] = [
    "after a winter of planning in a cold kitchen",
    "although nobody had asked for permission at first",
    "while the old station was closed for repairs",
    "because a stranger left money in an envelope",
    "before the autumn storms reached the coast",
    "thanks to a drawing from an attic trunk",
    "with help from sailors whose ship waited for parts",
    "just as visitors stepped off the morning train",
    "even though the instructions were in a forgotten dialect",
    "once the quarry agreed to deliver gravel by barge",
    "using nothing but rope, chalk and borrowed lamps",
    "where a cinema had stood empty for a generation",
    "under the eyes of a very strict jury",
    "despite a bet that it could never be done",
    "between two heavy snowfalls and a power cut",
    "for less money than a parking space costs",
    "following a recipe that travelled by postcard",
    "without a single hour of overtime",
    "in the shade of the oldest plane tree",
    "on the anniversary of the great flood",
    "within sight of the lighthouse",
];

const LATER: [&str; 20] = [
    "keeps the books and wants to reach {} next year",
    "hopes that {} people will come to the second round",
    "said the waiting list now has {} names",
    "measured a saving of {} hours for the whole town",
    "wrote down all {} steps so that others can copy them",
    "paid {} dollars out of a prize for the materials",
    "found {} photographs of earlier attempts in the archive",
    "thinks the next town could do it with {} coins in hand",
    "counted {} visitors on the first weekend alone",
    "printed {} leaflets and gave every one away",
    "planted {} tulips beside the entrance to say thank you",
    "answered {} letters from abroad by hand",
    "carried {} stones up the hill to mark the place",
    "sold {} tickets for the anniversary in one morning",
    "saved {} litres of water by changing one valve",
    "built the model for it out of {} matches",
    "promised to repeat it once {} signatures are collected",
    "walked {} steps on an average day of the work",
    "taped {} interviews with everyone who took part",
    "baked {} biscuits for the helpers",
];

const PLACES: [&str; 40] = [
    "Harrow Bay",
    "Lindmoor",
    "Corvo",
    "Yirba",
    "Vik",
    "Port Elan",
    "Murava",
    "Tarnbeck",
    "Ostwerk",
    "Santa Brisa",
    "Åmsele",
    "Łęgowo",
    "São Telmo",
    "Kilmarra",
    "Dessie Hill",
    "Norrvik",
    "Quelmes",
    "Bad Erlau",
    "Tirzano",
    "Močnik",
    "Halvorsund",
    "Ébreville",
    "Pemberley Cross",
    "Zagorje Vale",
    "Akaki Ford",
    "Mirembe",
    "Nkandla Reach",
    "Ulan Chere",
    "Hoi Lam",
    "Takeshima Point",
    "Wairoa Flat",
    "Punta Gris",
    "Cerro Manso",
    "Fort Aspen",
    "Bellwether",
    "Dunmore Quay",
    "Sable Rock",
    "Inverloch",
    "Castelmare",
    "Rosenau",
];

const PEOPLE: [&str; 40] = [
    "Ines Calder",
    "Tomas Rike",
    "Adaeze Obi",
    "Almaz Desta",
    "Jonas Ahlberg",
    "Rukmini Das",
    "Petra Novak",
    "Callum Reid",
    "Mirela Kos",
    "Lucia Ferro",
    "Hana Bekele",
    "Wanjiru Kamau",
    "Oleg Baran",
    "Noor Haddad",
    "Elif Demir",
    "Kenji Mori",
    "Marta Olsson",
    "Priya Nair",
    "Sven Dahl",
    "Aoife Byrne",
    "Bruno Sala",
    "Chidi Eze",
    "Dunja Babić",
    "Farid Aziz",
    "Greta Lund",
    "Henrik Voss",
    "Isla Moran",
    "Jaromír Kolář",
    "Kofi Mensah",
    "Leila Karimi",
    "Mateus Prado",
    "Nadia Rahal",
    "Orla Quinn",
    "Pavel Hora",
    "Rosa Vidal",
    "Samir Toma",
    "Tove Berg",
    "Uma Rao",
    "Viktor Hajdu",
    "Yara Costa",
];

#[test]
fn no_two_stories_share_more_than_one_part() {
    for (one, other) in (0..STORIES).flat_map(|one| (0..one).map(move |other| (one, other))) {
        let shared = parts(one).iter().zip(parts(other)).filter(|(one, other)| *one == other).count();
        assert!(shared <= 1, "{one} and {other}: {shared}");
    }
}
