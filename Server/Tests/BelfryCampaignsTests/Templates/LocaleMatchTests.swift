import BelfryCampaigns
import Testing

struct LocaleMatchTests {
    @Test(
        "CAMP-6: the variant of a device is that of its locale, its script, its language, or none",
        arguments: [
            ("fr_FR", ["fr", "fr-FR", "de"], "fr-FR"), ("fr_FR", ["fr", "de"], "fr"), ("FR-fr", ["fr_FR"], "fr_FR"),
            ("fr", ["fr-FR"], nil), ("fr-CA", ["fr-FR", "fr"], "fr"), ("pt-BR", ["en", "de"], nil),
            ("zh_Hant_TW", ["zh", "zh-Hant", "zh-Hans"], "zh-Hant"), ("zh-Hant-TW", ["zh", "zh-TW"], "zh-TW"),
            ("zh_TW", ["zh", "zh-Hant"], "zh-Hant"), ("zh-CN", ["zh-Hant", "zh-Hans"], "zh-Hans"),
            ("zh-Hant-HK", ["zh"], "zh"), ("sr-Latn-RS", ["sr-Cyrl", "sr-Latn"], "sr-Latn"),
            ("en_US.UTF-8", ["en-us"], "en-us"), ("en-US@calendar=buddhist", ["en"], "en"),
            ("en-US-u-ca-gregory", ["en-US"], "en-US"), ("", ["en"], nil), ("-", ["en"], nil), ("fr", [], nil),
            ("de", ["de_DE", "de"], "de"), ("es-419", ["es-419", "es"], "es-419"),
            ("fr-\u{301}x", ["fr"], "fr"),
        ] as [(String, [String], String?)]
    )
    func best(locale: String, keys: [String], match: String?) {
        #expect(LocaleMatch.best(of: keys, for: locale) == match)
        #expect(LocaleMatch.best(of: keys.reversed(), for: locale) == match)
        #expect(LocaleMatch.best(of: keys, for: nil) == nil)
    }

    @Test("CAMP-6: the key of a variant has the form of a locale")
    func form() {
        for locale in ["fr", "fr-FR", "zh_Hant_TW", "es-419", "fil", "sl-rozaj-biske"] {
            #expect(LocaleMatch.isLocale(locale), "\(locale)")
        }
        for text in ["", "f", "fr-", "-fr", "français", "fr FR", "1a", "en-u-ca", "abcdefghi", "en.UTF-8", "en--US"] {
            #expect(!LocaleMatch.isLocale(text), "\(text)")
        }
    }

    @Test("CAMP-6: of two spellings of one locale the same is always chosen")
    func spellings() {
        #expect(LocaleMatch.best(of: ["fr_FR", "fr-FR"], for: "fr-fr") == "fr-FR")
        #expect(LocaleMatch.best(of: ["fr-FR", "fr_FR"], for: "fr-fr") == "fr-FR")
        #expect(LocaleMatch.canonical("FR_fr") == "fr-fr")
    }
}
