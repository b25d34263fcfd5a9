import Foundation

/// The page's own words: they are read aloud, and not visible.
struct PageWords {
    /// The label of the close button.
    let close: String
    /// The label of a message without a title.
    let message: String

    init(language: String?) {
        let parts = (language ?? "").lowercased().utf8
            .split { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }.map { String(Substring($0)) }
        let words = parts.first.flatMap { Self.known[$0] } ?? ("Close", "Message")
        (close, message) = words
    }

    private static let known: [String: (String, String)] = [
        "ar": ("إغلاق", "رسالة"), "bg": ("Затваряне", "Съобщение"), "ca": ("Tanca", "Missatge"),
        "cs": ("Zavřít", "Zpráva"), "da": ("Luk", "Meddelelse"), "de": ("Schließen", "Nachricht"),
        "el": ("Κλείσιμο", "Μήνυμα"), "en": ("Close", "Message"), "es": ("Cerrar", "Mensaje"),
        "et": ("Sulge", "Teade"), "fa": ("بستن", "پیام"), "fi": ("Sulje", "Viesti"), "fr": ("Fermer", "Message"),
        "he": ("סגירה", "הודעה"), "hi": ("बंद करें", "संदेश"), "hr": ("Zatvori", "Poruka"),
        "hu": ("Bezárás", "Üzenet"), "id": ("Tutup", "Pesan"), "it": ("Chiudi", "Messaggio"),
        "iw": ("סגירה", "הודעה"), "ja": ("閉じる", "メッセージ"), "ko": ("닫기", "메시지"), "lt": ("Uždaryti", "Pranešimas"),
        "lv": ("Aizvērt", "Ziņojums"), "ms": ("Tutup", "Mesej"), "nb": ("Lukk", "Melding"),
        "nl": ("Sluiten", "Bericht"),
        "no": ("Lukk", "Melding"), "pl": ("Zamknij", "Wiadomość"), "pt": ("Fechar", "Mensagem"),
        "ro": ("Închide", "Mesaj"), "ru": ("Закрыть", "Сообщение"), "sk": ("Zavrieť", "Správa"),
        "sl": ("Zapri", "Sporočilo"), "sr": ("Затвори", "Порука"), "sv": ("Stäng", "Meddelande"),
        "th": ("ปิด", "ข้อความ"), "tr": ("Kapat", "İleti"), "uk": ("Закрити", "Повідомлення"),
        "ur": ("بند کریں", "پیغام"),
        "vi": ("Đóng", "Tin nhắn"), "zh": ("关闭", "消息"),
    ]
}
