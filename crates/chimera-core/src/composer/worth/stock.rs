//! Turns that fill a post with nothing, and loud words that make it worse. Each stands for itself wherever it occurs; in small letters, and lists
//! parted by `|`. A word of a list is matched at its beginning and its end, except in scripts that part no words.

/// Calls, openers and closers that would fit any story.
const STOCK: [&str; 13] = [
    "exciting|stay tuned|find out|check it out|check this out|read more|learn more|did you know|what do you think|let us know|let me know|your thoughts|\
     thoughts?|don't miss|must read|must-read|worth a read|worth a look|interesting article|interesting interview|interesting read|great read|important topic|important issue|\
     important step|step in the right direction|raises many questions|raises questions|raises important questions|many questions|challenges remain|remains to be seen|time will tell|only time will|\
     a reminder that|reminds us|just goes to show|highlights the importance|underscores|underlines the importance|in today's world|in today's|in the age of|in an ever|ever-changing|\
     ever-evolving|rapidly changing|changing rapidly|is changing|fast-paced|the future of|the power of|key takeaways|takeaway|deep dive|dive into|delve|unpack|here's why|here's what|here's the|\
     you need to know|everything you need|let's all|let us all|together we|make a difference|food for thought|fascinating|inspiring|amazing|incredible|exciting times|great news|good news for|\
     big news|breaking|worth following|worth a closer look|keep an eye on|a lot to|plays a crucial role|plays an important role|plays a vital role|it is important|it's important|more important than ever|\
     now more than ever|join the conversation|share this|share your|spread the word|according to an article|this article|the article|a new article|new post|our latest|click here|link in bio|follow for more|\
     landscape|journey|empower|unlock|leverage|transform your|seamless|robust solution|innovative|cutting-edge|state-of-the-art|next level|a testament to|vibrant|in conclusion|needless to say",
    "emocionante|no te lo pierdas|descubre|más información|sabías que|qué opinas|qué te parece|cuéntanos|tus comentarios|leer más|lee más|vale la pena leer|artículo interesante|tema importante|\
     gran noticia|buenas noticias|hoy en día|en el mundo actual|en un mundo|el futuro de|el poder de|hay que estar atentos|estemos atentos|mantente atento|invita a reflexionar|nos recuerda|\
     pone de relieve|da que pensar|muchas preguntas|plantea preguntas|queda por ver|el tiempo dirá|comparte|difunde|todos juntos|entre todos|hacer la diferencia|fascinante|increíble|inspirador|\
     imprescindible|es importante|más importante que nunca|juega un papel|papel fundamental|este artículo|nuevo artículo|innovador|de vanguardia|soluciones",
    "passionnant|à ne pas manquer|découvrez|en savoir plus|le saviez-vous|qu'en pensez-vous|et vous|dites-nous|lire la suite|article intéressant|sujet important|grande nouvelle|bonne nouvelle|\
     dans le monde d'aujourd'hui|dans un monde|à l'ère du|à l'ère de|une page se tourne|l'avenir de|le pouvoir de|invite à réfléchir|nous invite à|nous rappelle|en sont la preuve|\
     beaucoup de questions|pose des questions|reste à voir|l'avenir le dira|affaire à suivre|à suivre|partagez|faire la différence|fascinant|incroyable|inspirant|incontournable|il est important|\
     plus important que jamais|joue un rôle|rôle crucial|cet article|innovant|à la pointe|se réinventer",
    "spannend|nicht verpassen|jetzt lesen|mehr erfahren|mehr dazu|wussten sie|wusstest du|was meint ihr|was meinen sie|eure meinung|was denkt ihr|lesenswert|interessanter artikel|wichtiges thema|\
     tolle nachricht|gute nachricht|gute nachrichten|in der heutigen|in einer welt|im zeitalter|die zukunft der|die zukunft des|die macht der|regt zum nachdenken|zeigt einmal mehr|\
     erinnert uns|viele fragen|wirft fragen|bleibt abzuwarten|wird sich zeigen|man darf gespannt|darf man gespannt|bleibt spannend|einen unterschied machen|faszinierend|unglaublich|\
     inspirierend|unverzichtbar|es ist wichtig|wichtiger denn je|spielt eine wichtige rolle|dieser artikel|in diesem artikel|innovativ|zukunftsweisend|herausforderungen",
    "emocionante|não perca|descubra|saiba mais|você sabia|o que você acha|o que acham|leia mais|vale a pena ler|tema importante|ótima notícia|boas notícias|no mundo de hoje|num mundo|o futuro do|o futuro da|\
     o poder do|o poder da|faz refletir|nos lembra|muitas perguntas|o tempo dirá|compartilhe|partilhe|fazer a diferença|fascinante|incrível|inspirador|é importante|este artigo|inovador",
    "emozionante|da non perdere|scopri|per saperne di più|lo sapevi|cosa ne pensi|cosa ne pensate|tema importante|ottima notizia|buone notizie|nel mondo di oggi|in un mondo|il futuro di|il futuro del|il futuro della|il potere di|il potere del|\
     fa riflettere|ci ricorda|molte domande|staremo a vedere|condividi|fare la differenza|affascinante|incredibile|è importante|questo articolo|innovativo",
    "spannend|mis het niet|ontdek|lees meer|meer weten|wist je dat|wat vind jij|wat denk jij|interessant artikel|belangrijk onderwerp|goed nieuws|geweldig nieuws|in de wereld van vandaag|de toekomst van|\
     de kracht van|zet aan het denken|herinnert ons|veel vragen|de tijd zal leren|deel dit|het verschil maken|fascinerend|ongelooflijk|inspirerend|het is belangrijk|dit artikel|innovatief",
    "አስደሳች|ተጨማሪ ያንብቡ|ያውቃሉ|ምን ይመስላችኋል|አያምልጥዎ|አስፈላጊ ነው|ዜናው",
    "ya kusisimua|usikose|soma zaidi|je, ulijua|unaonaje|mnaonaje|habari njema|katika dunia ya leo|mustakabali wa|inatukumbusha|maswali mengi|shiriki|kwa pamoja|ni muhimu|makala hii",
    "مثير|لا تفوت|اقرأ المزيد|هل تعلم|ما رأيك|ما رأيكم|خبر رائع|في عالم اليوم|مستقبل|يذكرنا|أسئلة كثيرة|شاركوا|معا|من المهم|هذا المقال",
    "रोमांचक|न चूकें|और पढ़ें|क्या आप जानते|आप क्या सोचते|आपकी राय|बड़ी खबर|आज की दुनिया|का भविष्य|याद दिलाता|कई सवाल|साझा करें|मिलकर|महत्वपूर्ण है|यह लेख",
    "見逃せない|必見|続きを読む|ご存知ですか|どう思いますか|注目です|期待です|朗報|現代社会|の未来|考えさせられ|今後に注目|シェア|みんなで|重要です|この記事",
    "不容错过|敬请期待|了解更多|阅读更多|你知道吗|你怎么看|大家怎么看|好消息|重磅|在当今|的未来|引人深思|提醒我们|拭目以待|转发|让我们一起|很重要|这篇文章|值得关注",
];

/// Words that shout.
const HYPE: &str = "insane|insanely|epic|mind-blowing|mindblowing|game changer|game-changer|game changing|revolutionary|revolutionize|unbelievable|shocking|shocked|stunning|jaw-dropping|\
    wow|omg|lol|hack|10x|destroyed|destroys|slams|slammed|crushes|goodbye|won't believe|legendary|ultimate|exposed|nightmare|\
    bombazo|alucinante|adiós a|impactante|locura|revolucionario|escándalo|choquant|incroyable|révolutionnaire|monstres|scandale|terrifiant|\
    wahnsinn|irre|krass|skandal|schock|schockierend|unfassbar|revolution|nie wieder|für immer";

/// How many stock phrases and how many loud words are in `text`.
pub fn counted(text: &str) -> (usize, usize) {
    let lowered = text.to_lowercase().replace('’', "'");
    let count = |list: &str| list.split('|').filter(|phrase| is_in(&lowered, phrase)).count();
    (STOCK.iter().map(|list| count(list)).sum(), count(HYPE))
}

fn is_in(text: &str, phrase: &str) -> bool {
    let is_whole = phrase.is_ascii() || phrase.contains(char::is_whitespace) || phrase.chars().all(|c| u32::from(c) < 0x300);
    text.match_indices(phrase).any(|(at, _)| {
        let before = text[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric());
        let after = text[at + phrase.len()..].chars().next().is_none_or(|c| !c.is_alphanumeric());
        !is_whole || before && after
    })
}
