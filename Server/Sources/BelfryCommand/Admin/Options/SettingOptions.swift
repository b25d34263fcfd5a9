import ArgumentParser
import BelfryModel
import BelfryServerModel

/// The command-line options for each setting of an app.
struct SettingOptions: ParsableArguments {
    @Option(help: "How a device logs in as a known contact: with the contact key alone, or only with an OpenID token.")
    var identity: IdentityMode?

    @Option(help: "Allow anonymous contacts: true or false.")
    var anonymousContacts: Bool?

    @Option(parsing: .upToNextOption, help: "All origins of web pages that may call the device API.")
    var allowedOrigin: [String] = []

    @Option(parsing: .upToNextOption, help: "All contact fields that may be used to link.")
    var contactField: [String] = []

    @Option(help: "The app's own contact field: its value is the plain contact key, others are name spaces.")
    var ownContactField: String?

    @Option(help: "The time zone of dates without an offset, such as Europe/Paris.")
    var timeZone: String?

    @Option(help: "The maximum number on a badge.")
    var maxBadgeCount: Int?

    @Option(help: "The number of days for which events are kept.")
    var eventRetentionDays: Int?

    @Option(help: "The number of days after a campaign's end for which its delivery record of each device is kept.")
    var deliveryRetentionDays: Int?

    @Option(
        help: """
            The number of days without an opening, a change or a call after which a device that can get no push becomes \
            dormant.
            """
    )
    var dormantAfterDays: Int?

    @Option(help: "Allow scripts in the HTML of in-app messages: true or false.")
    var inAppScripts: Bool?

    @Option(help: "Ask for the approval of a second person before a campaign is launched: true or false.")
    var requiresApproval: Bool?

    @Option(help: "The identity provider's issuer: a token's 'iss' must be this.")
    var openidIssuer: String?

    @Option(help: "The identity provider's audience: a token's 'aud' must be or contain this.")
    var openidAudience: String?

    @Option(help: "The identity provider's claim with the contact key. (default: sub)")
    var openidClaim: String?

    @Option(help: "The file with the identity provider's public keys, a JWK Set.", completion: .file())
    var openidJwks: String?

    @Option(help: "A setting to reset to its default. May be repeated.")
    var reset: [SettingName] = []

    func validate() throws {
        if let name = reset.first(where: { named.contains($0) }) {
            throw ValidationError("'\(name.rawValue)' is both set and reset. Do only one of them.")
        }
    }

    /// Whether no setting is to change.
    var isEmpty: Bool { named.isEmpty && reset.isEmpty }

    /// Whether any part of the identity provider is given; parts that are not given keep their values.
    var namesProvider: Bool {
        openidIssuer != nil || openidAudience != nil || openidClaim != nil || openidJwks != nil
    }

    /// The identity provider's keys, if their file is given.
    func publicKeys() throws -> JSONWebKeySet? {
        try openidJwks.map { try InputFile($0, option: "--openid-jwks").publicKeys() }
    }

    /// - Parameters:
    ///   - provider: the identity provider in force.
    ///   - keys: its new keys; nil keeps the present ones.
    func change(of provider: OpenIDSettings?, keys: JSONWebKeySet?) throws -> AppSettingsChange {
        var change = AppSettingsChange()
        if let anonymousContacts { change.anonymousContacts = .set(anonymousContacts) }
        if let identity { change.identity = .set(identity) }
        if namesProvider { change.openID = .set(try openID(after: provider, keys: keys)) }
        if !contactField.isEmpty { change.contactFields = .set(contactField.map { ContactFieldID($0) }) }
        if let ownContactField { change.contactField = .set(ContactFieldID(ownContactField)) }
        if let maxBadgeCount { change.maxBadgeCount = .set(maxBadgeCount) }
        if !allowedOrigin.isEmpty { change.allowedOrigins = .set(allowedOrigin) }
        if let timeZone { change.timeZone = .set(timeZone) }
        if let eventRetentionDays { change.eventRetentionDays = .set(eventRetentionDays) }
        if let deliveryRetentionDays { change.deliveryRetentionDays = .set(deliveryRetentionDays) }
        if let dormantAfterDays { change.dormantAfterDays = .set(dormantAfterDays) }
        if let inAppScripts { change.inAppScripts = .set(inAppScripts) }
        if let requiresApproval { change.requiresApproval = .set(requiresApproval) }
        for name in reset { name.reset(in: &change) }
        return change
    }

    /// The settings that the options give a value.
    private var named: Set<SettingName> {
        var names: Set<SettingName> = []
        if anonymousContacts != nil { names.insert(.anonymousContacts) }
        if identity != nil { names.insert(.identity) }
        if namesProvider { names.insert(.openID) }
        if !contactField.isEmpty { names.insert(.contactFields) }
        if ownContactField != nil { names.insert(.contactField) }
        if maxBadgeCount != nil { names.insert(.maxBadgeCount) }
        if !allowedOrigin.isEmpty { names.insert(.allowedOrigins) }
        if timeZone != nil { names.insert(.timeZone) }
        if eventRetentionDays != nil { names.insert(.eventRetentionDays) }
        if deliveryRetentionDays != nil { names.insert(.deliveryRetentionDays) }
        if dormantAfterDays != nil { names.insert(.dormantAfterDays) }
        if inAppScripts != nil { names.insert(.inAppScripts) }
        if requiresApproval != nil { names.insert(.requiresApproval) }
        return names
    }

    private func openID(after provider: OpenIDSettings?, keys: JSONWebKeySet?) throws -> OpenIDSettings {
        guard let issuer = openidIssuer ?? provider?.issuer, let audience = openidAudience ?? provider?.audience,
            let jwks = keys ?? provider?.jwks
        else {
            throw ValidationError(
                "The app has no identity provider yet. Give --openid-issuer, --openid-audience and --openid-jwks."
            )
        }
        return OpenIDSettings(
            issuer: issuer, audience: audience, claim: openidClaim ?? provider?.claim ?? OpenIDSettings.standardClaim,
            jwks: jwks
        )
    }
}

extension IdentityMode: ExpressibleByArgument {}

/// The settings of an app, by their names in the admin API.
enum SettingName: String, CaseIterable, ExpressibleByArgument {
    case anonymousContacts, identity, openID, contactFields, contactField, maxBadgeCount, allowedOrigins, timeZone
    case eventRetentionDays, deliveryRetentionDays, dormantAfterDays, inAppScripts, requiresApproval

    /// Resets the setting to its default.
    func reset(in change: inout AppSettingsChange) {
        switch self {
        case .anonymousContacts: change.anonymousContacts = .reset
        case .identity: change.identity = .reset
        case .openID: change.openID = .reset
        case .contactFields: change.contactFields = .reset
        case .contactField: change.contactField = .reset
        case .maxBadgeCount: change.maxBadgeCount = .reset
        case .allowedOrigins: change.allowedOrigins = .reset
        case .timeZone: change.timeZone = .reset
        case .eventRetentionDays: change.eventRetentionDays = .reset
        case .deliveryRetentionDays: change.deliveryRetentionDays = .reset
        case .dormantAfterDays: change.dormantAfterDays = .reset
        case .inAppScripts: change.inAppScripts = .reset
        case .requiresApproval: change.requiresApproval = .reset
        }
    }
}
