import BelfryAPI
import BelfryModel
import BelfryServerModel

extension AppSettingsResponse {
    /// All settings in force, defaults included, by the names that they have in a settings file.
    var table: TextTable {
        var table = TextTable("SETTING", "VALUE")
        table.add("anonymousContacts", "\(anonymousContacts)")
        table.add("identity", identity.rawValue)
        if let openID {
            table.add("openID.issuer", openID.issuer)
            table.add("openID.audience", openID.audience)
            table.add("openID.claim", openID.claim)
            table.add("openID.jwks", openID.jwks.summary)
        } else {
            table.add("openID", "none: OpenID tokens are not accepted")
        }
        table.add("contactFields", contactFields?.joined(separator: ", ") ?? "any")
        table.add("contactField", contactField ?? "none: the value alone is the contact key, whatever the field")
        table.add("maxBadgeCount", "\(maxBadgeCount)")
        table.add("allowedOrigins", allowedOrigins.isEmpty ? "none" : allowedOrigins.joined(separator: ", "))
        table.add("timeZone", timeZone)
        table.add("eventRetentionDays", eventRetentionDays.map { "\($0)" } ?? "none: events are never deleted")
        table.add(
            "deliveryRetentionDays", deliveryRetentionDays.map { "\($0)" } ?? "none: ledgers are never deleted"
        )
        table.add("dormantAfterDays", "\(dormantAfterDays)")
        table.add("inAppScripts", "\(inAppScripts)")
        table.add("requiresApproval", "\(requiresApproval)")
        return table
    }
}

extension JSONWebKeySet {
    /// A summary of a key set, such as `2 keys: RSA a, EC b`.
    fileprivate var summary: String {
        let names = keys.map { key in key.kty + (key.kid.map { " \($0)" } ?? "") }
        return "\(Quantity.text(keys.count, "key")): \(names.joined(separator: ", "))"
    }
}
