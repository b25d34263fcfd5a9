import ArgumentParser
import BelfryModel

/// The settings of an app, one by one on the command line.
struct SettingOptions: ParsableArguments {
    @Option(help: "What sets a known contact: whoever states its key, or only a token of the identity provider.")
    var identity: IdentityMode?

    @Option(help: "Whether devices may belong to nobody yet: true or false.")
    var anonymousContacts: Bool?

    @Option(parsing: .upToNextOption, help: "The origins of the web pages that may call the device API, all of them.")
    var allowedOrigin: [String] = []

    @Option(parsing: .upToNextOption, help: "The contact fields that may link, all of them.")
    var contactField: [String] = []

    @Option(help: "The zone of dates that are written without an offset, as Europe/Paris.")
    var timeZone: String?

    @Option(help: "The highest number that a badge shows.")
    var maxBadgeCount: Int?

    @Option(help: "For how many days events are kept.")
    var eventRetentionDays: Int?

    @Option(help: "Whether the HTML of in-app messages may hold script: true or false.")
    var inAppScripts: Bool?

    @Option(help: "The identity provider: what a token's 'iss' must be.")
    var openidIssuer: String?

    @Option(help: "The identity provider: what a token's 'aud' must be, or contain.")
    var openidAudience: String?

    @Option(help: "The identity provider: the claim whose value is the contact key. (default: sub)")
    var openidClaim: String?

    @Option(help: "The identity provider: the file of its public keys, a JWK Set.", completion: .file())
    var openidJwks: String?

    @Option(help: "A setting that goes back to its default. May be repeated.")
    var reset: [SettingName] = []

    func validate() throws {
        if let name = reset.first(where: { named.contains($0) }) {
            throw ValidationError("'\(name.rawValue)' is set and reset at once: say one of them.")
        }
    }

    /// Whether nothing is to change.
    var isEmpty: Bool { named.isEmpty && reset.isEmpty }

    /// Whether a part of the identity provider is named; the parts that are not stay.
    var namesProvider: Bool {
        openidIssuer != nil || openidAudience != nil || openidClaim != nil || openidJwks != nil
    }

    /// The identity provider's keys, when their file is named.
    func publicKeys() throws -> JSONWebKeySet? {
        try openidJwks.map { try InputFile($0, option: "--openid-jwks").publicKeys() }
    }

    /// - Parameters:
    ///   - provider: the identity provider in force.
    ///   - keys: the ones that it has from now on; nil: those that it has.
    func change(of provider: OpenIDSettings?, keys: JSONWebKeySet?) throws -> AppSettingsChange {
        var change = AppSettingsChange()
        if let anonymousContacts { change.anonymousContacts = .set(anonymousContacts) }
        if let identity { change.identity = .set(identity) }
        if namesProvider { change.openID = .set(try openID(after: provider, keys: keys)) }
        if !contactField.isEmpty { change.contactFields = .set(contactField.map { ContactFieldID($0) }) }
        if let maxBadgeCount { change.maxBadgeCount = .set(maxBadgeCount) }
        if !allowedOrigin.isEmpty { change.allowedOrigins = .set(allowedOrigin) }
        if let timeZone { change.timeZone = .set(timeZone) }
        if let eventRetentionDays { change.eventRetentionDays = .set(eventRetentionDays) }
        if let inAppScripts { change.inAppScripts = .set(inAppScripts) }
        for name in reset { name.reset(in: &change) }
        return change
    }

    /// The settings that get a value.
    private var named: Set<SettingName> {
        var names: Set<SettingName> = []
        if anonymousContacts != nil { names.insert(.anonymousContacts) }
        if identity != nil { names.insert(.identity) }
        if namesProvider { names.insert(.openID) }
        if !contactField.isEmpty { names.insert(.contactFields) }
        if maxBadgeCount != nil { names.insert(.maxBadgeCount) }
        if !allowedOrigin.isEmpty { names.insert(.allowedOrigins) }
        if timeZone != nil { names.insert(.timeZone) }
        if eventRetentionDays != nil { names.insert(.eventRetentionDays) }
        if inAppScripts != nil { names.insert(.inAppScripts) }
        return names
    }

    private func openID(after provider: OpenIDSettings?, keys: JSONWebKeySet?) throws -> OpenIDSettings {
        guard let issuer = openidIssuer ?? provider?.issuer, let audience = openidAudience ?? provider?.audience,
            let jwks = keys ?? provider?.jwks
        else {
            throw ValidationError(
                "The app has no identity provider yet: give --openid-issuer, --openid-audience and --openid-jwks."
            )
        }
        return OpenIDSettings(
            issuer: issuer, audience: audience, claim: openidClaim ?? provider?.claim ?? OpenIDSettings.standardClaim,
            jwks: jwks
        )
    }
}

extension IdentityMode: @retroactive ExpressibleByArgument {}
