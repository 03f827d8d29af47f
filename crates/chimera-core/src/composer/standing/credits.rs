//! What stands around a report and is none of it: who wrote it, whose the picture is, what the picture shows.

use regex::Regex;
use std::sync::LazyLock;

/// Whether the sentence names an author, credits a picture or an agency, or describes a picture that nobody sees here.
pub fn is_credit(sentence: &str) -> bool {
    [&*BYLINE, &*LABEL, &*AGENCY, &*CAPTION].iter().any(|pattern| pattern.is_match(sentence))
}

macro_rules! pattern {
    ($name:ident, $pattern:expr) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($pattern).expect("a fixed pattern, compiled by tests"));
    };
}

// "By Ana Lopez …", "Text: Ana Lopez", "Von Ana Lopez, Corvo".
pattern!(
    BYLINE,
    r"^(?:(?:By|BY|Von|VON|Por|POR|Par|PAR|Di|DI|Door|DOOR|Na) \p{Lu}[\p{L}'’.-]*(?: (?:de|da|van|von|der|del|la|le|bin|Mwandishi|\p{Lu}[\p{L}'’.-]*)){1,3}(?:[ ,.|–—-]|$)|Na (?:Mwandishi|MWANDISHI)\b|(?i:words|story|text|texte|texto|testo|tekst|author|autore?|autora?|auteur|auteure|reporter|reporting|redaction|redacción|rédaction|redazione|redaktion|redactie|mwandishi|correspondent)(?: (?i:by|von|por|par|di|door|de|na))?\s?[:：|]|(?:بقلم|كتب|كتبت|المصدر|إعداد|الكاتب)\s?[:：]?\s?\p{L}+ \p{L}+[:：.]|በ\p{L}+ \p{L}+[፡:]|(?:文|作者|记者|記者|撰文|取材|编辑|編集|来源|來源)\s?[:：／/]|[\u{4e00}-\u{9fff}]{2,4}(?:记者|記者)\s)"
);
// "Photo: …", "Credit: …", "© …", in thirteen languages.
pattern!(
    LABEL,
    r"(?i)(?:^|[\s(\[.,|“])(?:photos?|photographs?|photographer|photographie|pictures?|pics?|images?|illustrations?|credits?|caption|video|vidéo|fotos?|fotografía|fotografia|fotograf|fotografie|imagen|imágenes|imagem|créditos?|crédits?|légende|leyenda|legenda|bild|bilder|symbolbild|bildquelle|bildnachweis|quelle|immagine|immagini|didascalia|beeld|afbeelding|bijschrift|bron|fonte|fuente|source|picha|chanzo)(?: (?:by|credit|courtesy|cortesía|gentileza|von|par|de|di|door|na|ya|of|crédito|crédit)\b[^.:]{0,40})?\s?[:：©|]|\b(?:photo(?:graph)?(?:ed|s)? by|photo courtesy|image courtesy|courtesy of|file photo|stock photo|undated photo|handout (?:photo|image)|foto de archivo|imagen de archivo|foto d['’]archivio|photo d['’]archives?|archivbild|archieffoto|foto de arquivo|picha ya maktaba)\b|©|(?:ፎቶ|ምስል|صورة|الصورة|تصوير|المصدر|फोटो|फ़ोटो|तस्वीर|छवि|स्रोत|写真|画像|撮影|出典|提供|图片|圖片|图|摄影|攝影|图源|图片来源|资料图|資料照片)\s?[:：፡／/=＝|]|फाइल फोटो|（写真|＝写真|写真提供|資料写真|（资料图|资料图|資料圖|图为|圖為"
);
// "(AFP/Getty Images)", "Ana Lopez/Reuters", "on Unsplash".
pattern!(
    AGENCY,
    r"(?i:\b(?:getty images|shutterstock|istock(?:photo)?|alamy|depositphotos|dreamstime|adobe stock|wikimedia commons|cc[ -]by(?:[ -](?:sa|nc|nd))*|picture[ -]alliance|imago images)\b|\b(?:via|on|from|auf|sur|en|su|op)\s(?:flickr|unsplash|pexels|pixabay)\b)|[\p{L})]\s?/\s?(?:AFP|AP|EFE|EPA|Reuters|REUTERS|Getty|dpa|DPA|ANSA|ANP|Lusa|LUSA|Xinhua|Anadolu|Bloomberg|NASA|ESA)\b|\b(?:AFP|EPA|REUTERS|Reuters|AP Photo|AP|EFE|EPA-EFE|dpa|ANSA|Lusa|ANP|Getty)\s?/\s?\p{Lu}|\((?:Photo|AP Photo|Foto|Bild|Image|Imagen|Picture)\b[^)]*\)|[（(](?:AFP|AP|EFE|EPA|dpa|ANSA|Reuters|REUTERS|Lusa|LUSA|ANP|ANI|IANS|भाषा|रॉयटर्स|رويترز|أ ف ب|فرانس برس|共同|時事|新华社|新華社|中新社|ロイター)[^)）]{0,20}[)）]\s?[.。।]?$|(?:共同通信|時事通信|新华社|新華社|中新社)(?:记者|記者)?\S{0,8}(?:摄|攝|撮影)"
);
// What a picture shows: "seen here", "(left)", "from left to right".
pattern!(
    CAPTION,
    r"(?i)[（(](?:left|right|centre|center|pictured[^)]*|above|below|file|l|r|c|izquierda|izq\.?|derecha|dcha\.?|gauche|à gauche|droite|à droite|links|rechts|li\.?|re\.?|sinistra|a sinistra|destra|a destra|esquerda|à esquerda|direita|à direita|archivo|archives|archiv|arquivo|archivio|kushoto|kulia|左|右|يمين|يسار|बाएं|दाएं)[)）]|\b(?:pictured (?:above|below|here|left|right|in|at|on|with|during)|is pictured|are pictured|(?:as )?seen here|shown here|(?:in|on) this (?:photo|photograph|picture|image|file photo|illustration)|(?:from|back row|front row|top|bottom),? (?:left|right)\b|clockwise from|left to right|de izquierda a derecha|de gauche à droite|von links|v\. ?l\. ?n\. ?r|da sinistra|da esquerda|van links naar rechts|(?:en|sobre) (?:la|esta) (?:imagen|foto|fotografía)|sur (?:cette|la) (?:photo|image)|auf (?:diesem|dem) (?:bild|foto)|(?:nella|in questa) (?:foto|immagine)|(?:na|nesta) (?:foto|imagem)|op (?:de|deze) foto|katika picha|artist['’]s (?:impression|rendering|rendition|illustration)|screenshot|screengrab|captura de pantalla|capture d['’]écran|bildschirmfoto)\b|في (?:هذه )?الصورة|(?:इस )?तस्वीर में|በምስሉ|写真は|写真(?:左|右|中央)|图(?:左|右)|画像は"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credits_bylines_and_captions_are_no_part_of_a_report() {
        for sentence in [
            "By Ana Lopez The new bridge over the river in Corvo is open.",
            "Words: Ana Lopez, who lives in the old town of Corvo.",
            "A loaf of barley bread in Corvo, Photo: Ana Lopez.",
            "Bread in a bakery of Corvo, photographed by Ana Lopez in 2019.",
            "The bridge of Corvo at dawn. (Ana Lopez/Reuters)",
            "People cross the bridge of Corvo in May, AFP/Ana Lopez.",
            "Sunrise over the stones of Corvo, on Unsplash.",
            "Mayor Ana Lopez (left) opens the bridge in Corvo in May.",
            "The stones of Corvo are seen here on midsummer morning in 2015.",
            "An artist's impression of the planet that was found near Corvo.",
            "Foto: la alcaldesa Ana López inaugura el puente de Corvo.",
            "La alcaldesa Ana López, en la imagen, inauguró el puente de Corvo.",
            "Crédit photo : Ana Lopez, le pont de Corvo en mai 2012.",
            "Par Ana Lopez, envoyée spéciale à Corvo.",
            "Symbolbild: Die neue Brücke in Corvo bei Sonnenaufgang.",
            "Von Ana Lopez, Corvo.",
            "Imagem: a ponte de Corvo ao amanhecer, em maio de 2019.",
            "Il ponte di Corvo all'alba, foto d'archivio del 2019.",
            "Beeld: de nieuwe brug in Corvo bij zonsopgang.",
            "ፎቶ፡ በኮርቮ የተከፈተው አዲሱ ድልድይ።",
            "Picha: daraja jipya la Corvo alfajiri mwezi Mei.",
            "صورة: الجسر الجديد في كورفو عند الفجر.",
            "फोटो: कोर्वो का नया पुल भोर में।",
            "写真：コルボの新しい橋、夜明けに撮影。",
            "图为科尔沃的新大桥，五月清晨。",
        ] {
            assert!(is_credit(sentence), "{sentence}");
        }
    }

    #[test]
    fn who_is_spoken_of_is_no_credit() {
        for sentence in [
            "By 2027 the city of Corvo will have 40 km of bike lanes.",
            "By Monday evening 40 pictures hung in the museum of Corvo.",
            "Photographer Ana Lopez won the prize of Corvo for her pictures of bread.",
            "Reuters reported that the bridge in Corvo was closed for 40 days.",
            "Por fin abre el puente de Corvo, que costó 40 millones.",
            "Par exemple, le pont de Corvo a coûté 40 millions.",
            "Von Corvo fährt der Zug in 40 Minuten ans Meer.",
            "La imagen del puente de Corvo dio la vuelta al mundo en 2019.",
            "The video shows how the bridge of Corvo was built.",
            "图书馆在科尔沃开放，藏书四十万册。",
        ] {
            assert!(!is_credit(sentence), "{sentence}");
        }
    }
}
