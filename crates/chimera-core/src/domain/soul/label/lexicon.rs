//! The words that labels are read by. Lower case; what stands in several languages stands here once.

use std::{collections::BTreeSet, sync::LazyLock};

/// Divided by commas, since some have spaces.
fn parts(list: &'static str) -> Vec<&'static str> {
    list.split(',').map(|part| part.trim_start_matches([' ', '\n'])).filter(|part| !part.is_empty()).collect()
}

fn words(list: &'static str) -> BTreeSet<&'static str> {
    list.split_whitespace().collect()
}

/// Says by itself that it is one; "artificial intelligence" is read as one of its words beside the other.
pub(super) static MACHINES: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    words("ai ia ki ии ші τν bot bots chatbot chatbots robot robots robô roboter llm gpt ботом бот робот ρομπότ robotti robotem")
});
/// Says so together with what it makes or is.
pub(super) static PARTLY_MACHINES: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    words(
        "artificial artificielle artificiel artificiale intelligence inteligencia inteligência intelligenza intelligenz intelligentie intelligentia inteligencja \
         inteligencji intelligens intel·ligència künstliche künstlicher künstlichen kunstmatige sztuczna sztuczną sztucznej yapay zeka zekâ искусственный \
         искусственным интеллект интеллектом штучний штучним інтелект інтелектом τεχνητή νοημοσύνη τεχνητής νοημοσύνης akili bandia mnemba kecerdasan buatan \
         trí tuệ virtual virtuell virtuelle virtueller virtuelles virtuel virtuale virtueel виртуальный виртуальная віртуальний віртуальна εικονικός εικονική sanal \
         wirtualna wirtualny synthetic sintético sintética synthétique synthetisch digital machine maschine maschinell máquina macchina computer algorithm automated",
    )
});
/// Beginnings of words that say it whole.
pub(super) static COMPOUNDS: LazyLock<Vec<&str>> =
    LazyLock::new(|| parts("aigenerated, aimade, aicreated, kigeneriert, iagenerad, madebyai, generatedbyai, createdbyai"));
/// Beginnings of "generated", "made", "written".
pub(super) static MAKING: LazyLock<Vec<&str>> = LazyLock::new(|| {
    parts(
        "generated, generato, generata, generati, generad, généré, genere, gegenere, generiert, gerad, wygenerow, сгенер, згенер, made, created, \
         creato, creata, creati, cread, criad, créé, skapa, skabt, laget, tehty, written, wrote, writes, drawn, draws, produced, posted, run, runs, \
         operated, composed, rendered, synthesized, synthesised, authored, hech, escrit, feit, fatt, fait, scritt, écrit, rédig, erstellt, erzeugt, \
         geschrieben, gemacht, verfasst, gestaltet, geschreven, gemaakt, skriv, skrevet, napisan, stworz, utworz, создан, написан, сделан, створен, \
         зроблен, δημιουργ, παράχθηκε, παραγμέν, γράφτηκε, γραμμέν, φτιαγμέν, üretil, oluşturul, yapıl, yazıl, imetengenez, imeandik, imeund, dibuat, \
         ditulis, dihasilkan, tạo, viết, réalis, realizad, elaborad, redactad, prodott, fet, generat",
    )
});
pub(super) static BEINGS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    words(
        "persona personas personality character characters influencer creator agent account author writer assistant model avatar being entity profile page voice host \
         human person content text texts post posts image images picture pictures video videos media art label personaje cuenta agente perfil autor autora contenido texto \
         imagen creadora creador personnage compte contenu texte auteur image figur konto inhalt inhalte beitrag bild kunstfigur personaggio contenuto profilo autrice autore \
         personagem conta conteúdo personatge compte contingut персонаж аккаунт контент текст автор акаунт персона λογαριασμός περιεχόμενο περσόνα χαρακτήρας hesap karakter \
         içerik postać konto treść personage inhoud figur kanal intelligence intelligenz inteligencia inteligência intelligenza mhusika akaunti maudhui",
    )
});
/// May stand between a machine and what it makes or is.
pub(super) static JOINING: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    words(
        "by with using an a the of my our is was from via through de del por con mediante una un uno d' l' par avec une grâce à von mit durch ein eine einer einem der die das \
         da di dalla dall' con una un' do pela pelo com uma amb per door met een av med en ett et ile tarafından przez ии с при помощи с помощью за допомогою від от από με την μια \
         ένα na ya kwa oleh bởi intelligence inteligencia inteligência intelligenza intelligenz artificial artificielle artificiale künstliche künstlicher ist es é è est",
    )
});
/// May stand around the bare word: "I am an AI", "this is AI", "just your friendly bot".
pub(super) static OPENING: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    words(
        "i am i'm im this is it it's you're reading talking to your friendly hi hello yes just here and soy es esto hola ich bin ist dies hallo je suis c'est ceci bonjour sono questo \
         ciao sou isto olá sóc això ik ben dit jag är jeg er jestem to я это є це привет είμαι αυτό γεια ben bu mimi ni saya ini tôi là named called for 100% 100 fully entirely completely",
    )
});
pub(super) static TURNS: LazyLock<BTreeSet<&str>> =
    LazyLock::new(|| words("but sondern sino mais mas ma però maar men ale lecz но але αλλά ama lakini tapi instead"));
pub(super) static NEGATIONS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    words(
        "no not non never none nothing zero without free cannot hardly barely anti 0 0% nor neither isnt wasnt aint dont sin nunca nada ningún ningun ninguna jamás tampoco não nao sem \
         nenhum nenhuma pas sans jamais aucun aucune ne nicht kein keine keiner keinen keinem nie niemals ohne nein frei senza nessun nessuna nessuno niet geen nooit zonder sense \
         inte ej utan aldrig ikke uden uten aldri bez nigdy не без нет никогда ні ніколи немає όχι δεν χωρίς ποτέ μη μην değil yok olmadan asla hiç bukan tanpa tidak sio bila hapana không ei ilman",
    )
});
pub(super) static PEOPLE: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    words(
        "human humans humano humana humanos humain humaine humains umano umana umani mensch menschen menschlich mens person people man woman pessoa personne persoon persoana człowiek człowiekiem ludzie \
         человек человеком людьми люди людина людиною люди άνθρωπος άνθρωποι άνθρωπο insan binadamu mtu manusia người hand handmade handwritten hands",
    )
});
/// Beginnings of what people do with what a machine made.
pub(super) static CHECKING: LazyLock<Vec<&str>> = LazyLock::new(|| {
    parts(
        "review, check, edit, curat, supervis, oversight, oversee, approv, loop, revis, geprüft, relu, verif, controll, überprüft, \
         провер",
    )
});

pub(super) static GLUED_MACHINES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    parts(
        "ai, አርቴፊሻል, ኤአይ, ሰው ሰራሽ, ሰው ሠራሽ, ሮቦት, الذكاء الاصطناعي, ذكاء اصطناعي, هوش مصنوعی, בינה מלאכותית, कृत्रिम बुद्धि, एआई, \
         人工智能, 人工知能, 人工智慧, 인공지능, 机器人",
    )
});
pub(super) static GLUED_MAKING: LazyLock<Vec<&str>> = LazyLock::new(|| {
    parts(
        "የተፈጠረ, የተሰራ, የተሠራ, የተዘጋጀ, የተጻፈ, የመነጨ, የተጠቀመ, ነው, ነኝ, بواسطة, مولد, مُولّد, أنشئ, تم إنشاؤ, إنشاء, كتب, صنع, حساب, شخصية, \
         ساخته, تولید, נוצר, נכתב, द्वारा, जनित, निर्मित, 生成, 制作, 製作, 创作, 創作, 作成, 撰写, 書, です, 是, 생성, 제작, 작성, 입니다",
    )
});
pub(super) static GLUED_NEGATIONS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    parts(
        "አይደለ, ያልተ, አልተ, የለ, ያለ , ليس, غير, بدون, بلا, لا , لم, نیست, לא , ללא, אינ, नहीं, बिना, 不, 没, 沒, 非, 无, 無, ない, なし, ません, \
         じゃ, 아니, 않, 없, 아님, 不是, not",
    )
});
