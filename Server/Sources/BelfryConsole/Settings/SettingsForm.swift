import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation

/// The settings of one page as texts for fields: the stored or the typed ones.
struct SettingsForm: Hashable, Sendable {
    let texts: [String: String]

    /// Takes the typed values.
    init(_ topic: SettingsTopic, _ form: FormFields) {
        texts = topic.names.reduce(into: [:]) { $0[$1] = form[$1] }
    }

    /// Takes the stored values.
    init(_ topic: SettingsTopic, of app: AppService.App) {
        let stored = Self.stored(app)
        texts = topic.names.reduce(into: [:]) { $0[$1] = stored[$1] ?? "" }
    }

    /// The version of this page's settings, which the form carries. Changes on other pages do not affect it, and so
    /// make no conflict.
    var version: String { EditedState.text(texts) }

    subscript(_ name: String) -> String { texts[name] ?? "" }

    private static func stored(_ app: AppService.App) -> [String: String] {
        let settings = app.settings
        return [
            "name": app.name, "timeZone": settings.timeZoneName,
            "requiresApproval": settings.asksForApproval ? FormField.on : "",
            "inAppScripts": settings.allowsInAppScripts ? FormField.on : "",
            "anonymousContacts": settings.allowsAnonymousContacts ? FormField.on : "",
            "identity": settings.identityMode.rawValue, "openID.issuer": settings.openID?.issuer ?? "",
            "openID.audience": settings.openID?.audience ?? "", "openID.claim": settings.openID?.claim ?? "",
            "openID.jwks": settings.openID.map { text(of: $0.jwks) } ?? "",
            "contactFields": (settings.contactFields ?? []).joined(separator: "\n"),
            "contactField": settings.contactField ?? "",
            "maxBadgeCount": settings.maxBadgeCount.map { String($0) } ?? "",
            "allowedOrigins": settings.origins.joined(separator: "\n"),
            "eventRetentionDays": settings.eventRetentionDays.map { String($0) } ?? "",
            "deliveryRetentionDays": settings.deliveryRetentionDays.map { String($0) } ?? "",
            "dormantAfterDays": settings.dormantAfterDays.map { String($0) } ?? "",
        ]
    }

    private static func text(of keys: JSONWebKeySet) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(keys)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}

extension SettingsForm {
    /// The changes that the form makes.
    ///
    /// - Throws: the errors of the form's fields.
    func change() throws(FormProblems) -> AppSettingsChange {
        var problems = FormProblems()
        var change = AppSettingsChange()
        change.timeZone = text("timeZone")
        change.inAppScripts = flag("inAppScripts")
        change.requiresApproval = flag("requiresApproval")
        change.anonymousContacts = flag("anonymousContacts")
        if texts["identity"] != nil {
            change.identity = IdentityMode(rawValue: self["identity"]).map { .set($0) } ?? .keep
            change.openID = provider(&problems)
        }
        change.contactFields = lines("contactFields").map { $0.map { ContactFieldID($0) } }.orReset
        change.contactField =
            switch text("contactField") {
            case .set(let field): .set(ContactFieldID(field))
            case .reset: .reset
            case .keep: .keep
            }
        change.maxBadgeCount = number("maxBadgeCount", &problems)
        change.eventRetentionDays = number("eventRetentionDays", &problems)
        change.deliveryRetentionDays = number("deliveryRetentionDays", &problems)
        change.dormantAfterDays = number("dormantAfterDays", &problems)
        change.allowedOrigins = lines("allowedOrigins").orReset
        try problems.reject()
        return change
    }

    /// The value of a text field; an empty field means the default.
    private func text(_ name: String) -> SettingChange<String> {
        guard let text = texts[name] else { return .keep }
        return text.showsNothing ? .reset : .set(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    private func flag(_ name: String) -> SettingChange<Bool> {
        texts[name].map { .set($0 == FormField.on) } ?? .keep
    }

    private func number(_ name: String, _ problems: inout FormProblems) -> SettingChange<Int> {
        guard case .set(let text) = text(name) else { return texts[name] == nil ? .keep : .reset }
        guard let number: Int = WholeNumber.read(text) else {
            problems.add(name, "Write a whole number such as 30, or leave it empty.")
            return .keep
        }
        return .set(number)
    }

    private func lines(_ name: String) -> [String]? {
        texts[name].map { text in
            text.utf8.split(separator: UInt8(ascii: "\n")).map {
                String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            }.filter { !$0.isEmpty }
        }
    }

    /// The identity provider's settings. Either all of their fields are filled in or none.
    private func provider(_ problems: inout FormProblems) -> SettingChange<OpenIDSettings> {
        let names = ["openID.issuer", "openID.audience", "openID.claim", "openID.jwks"]
        guard names.contains(where: { !self[$0].showsNothing }) else { return .reset }
        for name in names where name != "openID.claim" && self[name].showsNothing {
            problems.add(name, "Fill this in too, or leave everything of the identity provider empty.")
        }
        guard problems.isEmpty else { return .keep }
        guard let keys = try? CheckedJSON.decode(JSONWebKeySet.self, from: self["openID.jwks"].utf8) else {
            problems.add("openID.jwks", "This is not a key set. Paste what the provider's jwks_uri returns.")
            return .keep
        }
        let claim = self["openID.claim"]
        return .set(
            OpenIDSettings(
                issuer: self["openID.issuer"], audience: self["openID.audience"],
                claim: claim.showsNothing ? OpenIDSettings.standardClaim : claim, jwks: keys
            )
        )
    }
}

extension Optional where Wrapped: Collection & Hashable & Sendable {
    /// The change for a typed list; an empty list means the default.
    fileprivate var orReset: SettingChange<Wrapped> {
        guard let self else { return .keep }
        return self.isEmpty ? .reset : .set(self)
    }
}
