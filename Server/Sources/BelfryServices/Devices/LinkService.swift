import BelfryModel
import BelfryPush
import BelfryRules
import BelfryStore
import Crypto
import Foundation

/// A token pair and the reference of the contact that the device is linked to (WIRE-2).
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
    /// Refresh tokens beyond the one in use that a device may have: the answers with them may all have been lost.
    static let maximumUnused: Int64 = 8

    package init(database: any SQLDatabase, keys: ServerKeys, environment: ServerEnvironment) {
        self.database = database
        self.keys = keys
        self.environment = environment
    }

    /// Links the device to the contact with this key; repeated, the contact stays as it is.
    package func identify(
        _ key: ContactKey, field: String?, caller: Caller
    ) async throws -> DeviceCallResult<LinkGrant> {
        try caller.app.settings.admitStatedLink(by: field)
        return try await link(caller, to: key)
    }

    /// Links the device to the contact that a token has proven (ID-3); repeated, the contact stays as it is.
    package func identify(
        _ contact: ProvenContact, field: String?, caller: Caller
    ) async throws -> DeviceCallResult<LinkGrant> {
        try caller.app.settings.admitProvenLink(by: field)
        return try await link(caller, to: contact.key)
    }

    /// The contact that an OpenID token proves to the caller's app (ID-3).
    package func contact(provenBy openIDToken: String, for caller: Caller) throws(OpenIDError) -> ProvenContact {
        guard let settings = caller.app.settings.openID else { throw .notConfigured }
        let verifier = OpenIDVerifier(settings: settings, now: environment.now(), keys: verificationKeys)
        return try verifier.contact(provenBy: openIDToken)
    }

    private func link(_ caller: Caller, to key: ContactKey) async throws -> DeviceCallResult<LinkGrant> {
        try await link(caller) { linking, device in
            if let contact = try device.contact.flatMap(linking.connection.contacts.find(id:)),
                contact.key.utf8.elementsEqual(key.rawValue.utf8)
            {
                return contact.id
            }
            return try linking.contact(key.rawValue, known: true, of: device)
        }
    }

    /// Links the device to an anonymous contact: its own, when it shows that it is linked to one, else a fresh one.
    ///
    /// - Parameter isFresh: another person uses the device, and what its own anonymous contact holds is not theirs
    ///   (ID-4).
    package func linkAnonymously(_ caller: Caller, isFresh: Bool = false) async throws -> DeviceCallResult<LinkGrant> {
        guard caller.app.settings.allowsAnonymousContacts else {
            throw ServiceError.forbidden(
                code: "anonymousContactsDisabled",
                message: "This app does not allow anonymous contacts. Link a known contact."
            )
        }
        let fresh = environment.uuid().uuidString
        return try await link(caller) { [keys] linking, device in
            if !isFresh, keys.vouches(caller, for: device),
                let contact = try device.contact.flatMap(linking.connection.contacts.find(id:)), !contact.known
            {
                return contact.id
            }
            return try linking.contact(ContactKey.anonymousPrefix + fresh, known: false, of: device)
        }
    }

    private func link(
        _ caller: Caller, contact: @escaping @Sendable (Linking, DeviceRow) throws -> Int64
    ) async throws -> DeviceCallResult<LinkGrant> {
        let now = environment.now()
        let refreshToken = Base64URL.encode(environment.randomBytes(32))
        return try await database.write { [keys, environment] connection in
            var device = try WaitingRegistrations(connection: connection, environment: environment).applied(
                to: CallerLookup(connection: connection).device(named: caller, now: now)
            )
            let level = keys.authLevel(of: caller, to: device)
            var left: Int64?
            if device.takes(caller.order, by: level, now: now) {
                let linking = Linking(connection: connection, caller: caller, now: now)
                let linked = try contact(linking, device)
                left = try linking.link(&device, to: linked, by: level)
                // It speaks of the installation that it begins, whose client does not say it again (REG-22).
                if level == .unauthenticated {
                    device.takeConsent(fromProperties: keys.osPushEnabled(saidBy: caller), now: now)
                }
            } else if level != .linked {
                return endedGrant(for: device, app: caller.app, refreshToken: refreshToken, now: now)
            }
            // An older order than the last link's changes no contact, but a lost answer still gets its tokens.
            device.linkGeneration += 1
            device.updatedAt = now
            try connection.devices.save(device)
            if let left { try connection.contacts.deleteIfEmpty(left, app: device.app) }
            try connection.refreshTokens.insert(
                hash: Self.hash(refreshToken), device: device.id, generation: device.linkGeneration, now: now
            )
            try connection.refreshTokens.deleteUnused(
                of: device.id, after: device.confirmedGeneration, before: device.linkGeneration - Self.maximumUnused + 1
            )
            let grant = LinkGrant(
                contactToken: token(for: device, app: caller.app, generation: device.linkGeneration, now: now),
                refreshToken: refreshToken,
                contactReference: ContactReference(contact: device.contact ?? 0, epoch: device.epoch)
                    .signed(for: device.id, with: keys)
            )
            return DeviceCallResult(value: grant, clientState: keys.state(of: device, trusted: true))
        }
    }

    /// For a call that is older than the last link and does not show that it comes from this device: it may neither
    /// change the contact (WIRE-21) nor inherit it (WIRE-20). Its tokens have ended already, so that a client that was
    /// only slow registers anew.
    private func endedGrant(
        for device: DeviceRow, app: AppRecord, refreshToken: String, now: Date
    ) -> DeviceCallResult<LinkGrant> {
        let beforeAnyLink: Int64 = -1
        let grant = LinkGrant(
            contactToken: token(for: device, app: app, generation: beforeAnyLink, now: now),
            refreshToken: refreshToken,
            contactReference: ContactReference(contact: 0, epoch: device.epoch).signed(for: device.id, with: keys)
        )
        return DeviceCallResult(value: grant, clientState: keys.state(of: device, trusted: false))
    }

    /// A new contact token for a refresh token; one that is unknown, ended or another device's means: register anew.
    package func refresh(_ refreshToken: String, caller: Caller) async throws -> DeviceCallResult<String> {
        let now = environment.now()
        return try await database.write { [keys] connection in
            guard let grant = try connection.refreshTokens.find(hash: Self.hash(refreshToken)),
                let device = try connection.devices.find(id: grant.device), device.app == caller.app.id,
                device.client == caller.client, grant.generation >= device.confirmedGeneration
            else {
                try CallerLookup(connection: connection).refuseErased(caller.client, app: caller.app)
                throw ServiceError.registerAnew
            }
            try connection.devices.confirmGeneration(grant.generation, of: device.id)
            try connection.refreshTokens.deleteOlder(than: grant.generation, device: device.id)
            return DeviceCallResult(
                value: token(for: device, app: caller.app, generation: grant.generation, now: now),
                clientState: keys.state(of: device, trusted: true)
            )
        }
    }

    /// Ends whatever shows a device to be itself: its tokens, its state, its references and its link (WIRE-20, SEC-10),
    /// also for when it has been linked again. It is told to register anew with its next call, and is a new
    /// installation from then on; until it has linked it gets no push.
    @discardableResult
    package func revoke(_ id: String, app: AppRecord) async throws -> Int64 {
        let now = environment.now()
        return try await database.write { connection in
            var device = try AppLookup(connection: connection, app: app.id).device(id)
            try NewInstallation(connection: connection, now: now).begin(in: &device)
            let former = device.contact
            if let former { try connection.formerDevices.insert(device.id, of: former, app: device.app) }
            device.contact = nil
            device.updatedAt = now
            try connection.devices.save(device)
            if let former { try connection.contacts.deleteIfEmpty(former, app: device.app) }
            return device.id
        }
    }

    private func token(for device: DeviceRow, app: AppRecord, generation: Int64, now: Date) -> String {
        ContactToken(
            app: app.code.rawValue, clientID: device.client.rawValue, device: device.id, generation: generation,
            epoch: device.epoch, expiresAt: now.addingTimeInterval(ContactToken.lifetime)
        ).signed(with: keys)
    }

    private static func hash(_ token: String) -> [UInt8] {
        Array(SHA256.hash(data: Data(token.utf8)))
    }
}

/// The contact that a link gives its device: in the transaction of the link, which saves the device's row afterwards.
private struct Linking {
    let connection: any SQLConnection
    let caller: Caller
    let now: Date

    /// The contact with a key, made when it is unknown and somebody may make one more (SEC-9).
    func contact(_ key: String, known: Bool, of device: DeviceRow) throws -> Int64 {
        if let id = try connection.contacts.number(app: device.app, key: key) { return id }
        try caller.linkBudget?.admitContact()
        return try connection.contacts.findOrInsert(app: device.app, key: key, known: known, now: now)
    }

    /// Gives the device the contact that a link names. Who knows the id of a linked device and no more begins as a new
    /// installation, and cannot shut others out by a clock that is ahead.
    ///
    /// - Returns: the contact that the former installation had. No event names it any more, for its references have ended.
    func link(_ device: inout DeviceRow, to contact: Int64, by level: CallerAuthLevel) throws -> Int64? {
        let former = level == .unauthenticated ? device.contact : nil
        if former != nil {
            try caller.linkBudget?.admitInstallation()
            try NewInstallation(connection: connection, now: now).begin(in: &device)
        }
        try ContactChange(connection: connection, now: now).apply(to: &device, contact: contact, by: level)
        let order = caller.order.milliseconds
        device.contactOrder = level == .unauthenticated ? min(order, now.milliseconds) : order
        return former
    }
}

extension DeviceRow {
    /// Whether a link with this order counts, and is not older than the last one (WIRE-21). An order from the future,
    /// beyond what a slow network explains, shuts no installation out that has lost its state.
    fileprivate func takes(_ order: RequestOrder, by level: CallerAuthLevel, now: Date) -> Bool {
        if contact == nil || order.milliseconds >= contactOrder { return true }
        return level == .unauthenticated && contactOrder > now.addingTimeInterval(ClockOffset.tolerance).milliseconds
    }
}
