import BelfryModel
import BelfryRules
import BelfryStore
import Foundation

/// A token pair, and the reference of the contact to which the device is linked (WIRE-2).
package struct LinkGrant: Hashable, Sendable {
    package let contactToken: String
    package let refreshToken: String
    package let contactReference: String
}

/// Links devices to contacts and renews their tokens (WIRE-2 to WIRE-4, ID-1, ID-3).
package struct LinkService: Sendable {
    let database: any SQLDatabase
    let keys: ServerKeys
    let environment: ServerEnvironment
    let verificationKeys = VerificationKeys()
    /// Makes waiting first links to anonymous contacts together. Such a link reads nothing that another one writes, so
    /// several groups may run at once.
    private let anonymousFirst: JointCall<FirstLink, DeviceRow?>
    /// Makes waiting first links to named contacts together. They read contacts that others may be creating.
    private let namedFirst: JointCall<FirstLink, DeviceRow?>
    /// Unused refresh tokens that a device may have besides the one in use: the responses with all of them may have
    /// been lost.
    static let maximumUnused: Int64 = 8

    package init(database: any SQLDatabase, keys: ServerKeys, environment: ServerEnvironment) {
        self.database = database
        self.keys = keys
        self.environment = environment
        anonymousFirst = JointCall { try FirstLink.make($0, in: $1) }
        namedFirst = JointCall(isInTurn: true) { try FirstLink.make($0, in: $1) }
    }

    /// Links the device to the contact with this key. A repeated call keeps the contact.
    package func identify(
        _ key: ContactKey, field: String?, caller: Caller
    ) async throws -> DeviceCallResult<LinkGrant> {
        let name = try caller.app.settings.statedName(key, field: field)
        return try await link(caller, to: target(name, field: "contactFieldValue"))
    }

    /// Links the device to the contact with this party identifier. A repeated call keeps the contact (ID-9).
    package func identify(_ party: PartyIdentifier, caller: Caller) async throws -> DeviceCallResult<LinkGrant> {
        let name = try caller.app.settings.statedName(party)
        return try await link(caller, to: target(name, field: "partyIdentifier"))
    }

    /// Links the device to the contact that a token has proven (ID-3). A repeated call keeps the contact.
    package func identify(
        _ contact: ProvenContact, field: String?, caller: Caller
    ) async throws -> DeviceCallResult<LinkGrant> {
        try caller.app.settings.admitProvenLink(by: field)
        return try await link(caller, to: target(.plain(contact.key), field: "openIdToken"))
    }

    private func target(_ name: ContactName, field: String) throws(ServiceError) -> LinkDestination {
        do {
            return try LinkDestination(name)
        } catch {
            throw .invalid(field: field, error)
        }
    }

    /// The contact that an OpenID token proves to the caller's app (ID-3).
    package func contact(provenBy openIDToken: String, for caller: Caller) throws(OpenIDError) -> ProvenContact {
        guard let settings = caller.app.settings.openID else { throw .notConfigured }
        let verifier = OpenIDVerifier(settings: settings, now: environment.now(), keys: verificationKeys)
        return try verifier.contact(provenBy: openIDToken)
    }

    /// Links the device to an anonymous contact: its own if it proves to be linked to one, otherwise a new one.
    ///
    /// - Parameter isFresh: another person uses the device, and the data of its own anonymous contact is not theirs
    ///   (ID-4).
    package func linkAnonymously(_ caller: Caller, isFresh: Bool = false) async throws -> DeviceCallResult<LinkGrant> {
        guard caller.app.settings.allowsAnonymousContacts else {
            throw ServiceError.forbidden(
                code: "anonymousContactsDisabled",
                message: "This app does not allow anonymous contacts. Link a known contact."
            )
        }
        let key = ContactKey.anonymousPrefix + environment.uuid().uuidString
        return try await link(caller, to: .anonymous(isFresh: isFresh, key: key))
    }

    private func link(_ caller: Caller, to target: LinkDestination) async throws -> DeviceCallResult<LinkGrant> {
        let now = environment.now()
        let secret = RefreshToken.secret(environment)
        let first = FirstLink(caller, to: target, secret: secret, now: now, keys: keys)
        if let first, let device = try await link(first) {
            return DeviceCallResult(
                value: grant(for: device, caller: caller, secret: secret, now: now),
                clientState: keys.state(of: device)
            )
        }
        return try await database.write { [keys, environment] connection in
            let found = try CallerLookup(connection: connection).device(named: caller, keys: keys, now: now)
            try connection.hold { try [found.contact, target.contact(of: found.app, in: connection)] }
            var device = try WaitingRegistrations(connection: connection, environment: environment).applied(to: found)
            let level = keys.authLevel(of: caller, to: device)
            let linking = Linking(connection: connection, caller: caller, target: target, level: level, now: now)
            let generation = keys.generation(shownBy: caller, to: device)
            let order = LinkOrder(
                level: level, generation: generation, milliseconds: caller.order.milliseconds,
                isLogout: target.isLogout
            )
            let freshness = keys.hasLeft(caller, device) ? LinkFreshness.late : device.freshness(of: order)
            var left: Int64?
            if freshness == .counts {
                left = try linking.link(&device, showing: generation ?? 0)
            } else if try (freshness == .late && (level != .linked || target.isFresh)) || !linking.isMade(on: device) {
                return endedGrant(for: device, caller: caller, secret: secret, now: now)
            }
            // A caller who shows a later link has got that link's response, and with it the contact's tag (ADM-5).
            if let tag = device.knownTag, let generation, generation > tag.generation { device.knownTag = nil }
            // A link that exists is not made again, but the caller gets tokens, because the response with them may have
            // been lost.
            let grant = try newGrant(for: &device, caller: caller, secret: secret, now: now, connection)
            if let left, left != device.contact { try connection.orphanedContacts.deleteIfEmpty(left, app: device.app) }
            return DeviceCallResult(value: grant, clientState: keys.state(of: device))
        }
    }

    /// Nil when the call is not a first link after all.
    private func link(_ first: FirstLink) async throws -> DeviceRow? {
        try await withCheckedThrowingContinuation { continuation in
            database.write(first, of: first.isNamed ? namedFirst : anonymousFirst, turn: .next) {
                continuation.resume(with: $0)
            }
        }
    }

    /// A new token pair for the device's contact. It saves the device's row.
    ///
    /// - Parameter secret: the secret part of the refresh token.
    func newGrant(
        for device: inout DeviceRow, caller: Caller, secret: String, now: Date, _ connection: any SQLConnection
    ) throws -> LinkGrant {
        device.linkGeneration += 1
        device.updatedAt = now
        try connection.devices.save(device)
        try connection.refreshTokens.insert(
            hash: RefreshToken.hash(of: device.id, secret: secret), device: device.id,
            generation: device.linkGeneration, now: now
        )
        try connection.refreshTokens.deleteUnused(
            of: device.id, after: device.confirmedGeneration, before: device.linkGeneration - Self.maximumUnused + 1
        )
        return grant(for: device, caller: caller, secret: secret, now: now)
    }

    private func grant(for device: DeviceRow, caller: Caller, secret: String, now: Date) -> LinkGrant {
        LinkGrant(
            contactToken: contactToken(for: device, app: caller.app, generation: device.linkGeneration, now: now),
            refreshToken: RefreshToken.text(of: device.id, secret: secret),
            contactReference: ContactReference(contact: device.contact ?? 0, epoch: device.epoch)
                .signed(for: device.id, with: keys)
        )
    }

    /// The response to a call that came too late, or seems to. It may neither change the contact (WIRE-21) nor get the
    /// tokens of the device's present owner (ID-10). Its own tokens have ended already, so a client whose clock was set
    /// back registers again. The returned state has the present epoch, in which that registration counts.
    private func endedGrant(
        for device: DeviceRow, caller: Caller, secret: String, now: Date
    ) -> DeviceCallResult<LinkGrant> {
        let beforeAnyLink: Int64 = -1
        let grant = LinkGrant(
            contactToken: contactToken(for: device, app: caller.app, generation: beforeAnyLink, now: now),
            refreshToken: RefreshToken.text(of: device.id, secret: secret),
            contactReference: ContactReference(contact: 0, epoch: device.epoch).signed(for: device.id, with: keys)
        )
        return DeviceCallResult(value: grant, clientState: keys.state(of: device, for: caller))
    }

    /// A new contact token for a refresh token. Throws ``ServiceError/registerAnew`` for a token that is unknown, has
    /// ended or belongs to another device.
    package func refresh(_ refreshToken: String, caller: Caller) async throws -> DeviceCallResult<String> {
        let (now, token) = (environment.now(), RefreshToken(refreshToken))
        return try await database.write { [keys] connection in
            let lookup = CallerLookup(connection: connection)
            guard let token, let grant = try connection.refreshTokens.find(token),
                let device = try lookup.device(grantedBy: grant, to: caller)
            else { throw try lookup.erasure(of: caller, keys: keys)?.error ?? ServiceError.registerAnew }
            try connection.devices.confirmGeneration(grant.generation, of: device.id)
            try connection.refreshTokens.deleteOlder(than: grant.generation, device: device.id)
            try connection.refreshTokens.noteUse(hash: token.hash, of: device.id, now: now)
            return DeviceCallResult(
                value: contactToken(for: device, app: caller.app, generation: grant.generation, now: now),
                clientState: keys.state(of: device)
            )
        }
    }

    private func contactToken(for device: DeviceRow, app: AppRecord, generation: Int64, now: Date) -> String {
        ContactToken(
            app: app.code.rawValue, clientID: device.client.rawValue, device: device.id, generation: generation,
            epoch: device.epoch, expiresAt: now.addingTimeInterval(ContactToken.lifetime)
        ).signed(with: keys)
    }
}
