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
    ) async throws -> Answered<LinkGrant> {
        try caller.app.settings.admitStatedLink(by: field)
        return try await link(caller, to: key)
    }

    /// Links the device to the contact that a token has proven (ID-3); repeated, the contact stays as it is.
    package func identify(
        _ contact: ProvenContact, field: String?, caller: Caller
    ) async throws -> Answered<LinkGrant> {
        try caller.app.settings.admitProvenLink(by: field)
        return try await link(caller, to: contact.key)
    }

    private func link(_ caller: Caller, to key: ContactKey) async throws -> Answered<LinkGrant> {
        try await link(caller) { connection, device, now in
            if let contact = try device.contact.flatMap(connection.contacts.find(id:)),
                contact.key.utf8.elementsEqual(key.rawValue.utf8)
            {
                return contact.id
            }
            return try connection.contact(key.rawValue, known: true, of: device, now: now, budget: caller.linkBudget)
        }
    }

    /// Links the device to an anonymous contact: its own, when it shows that it is linked to one, else a fresh one.
    ///
    /// - Parameter isFresh: another person uses the device, and what its own anonymous contact holds is not theirs
    ///   (ID-4).
    package func linkAnonymously(_ caller: Caller, isFresh: Bool = false) async throws -> Answered<LinkGrant> {
        guard caller.app.settings.allowsAnonymousContacts else {
            throw ServiceError.forbidden(
                code: "anonymousContactsDisabled",
                message: "This app has anonymous contacts switched off: link a known contact."
            )
        }
        let fresh = environment.uuid().uuidString
        return try await link(caller) { [keys] connection, device, now in
            if !isFresh, keys.vouches(caller, for: device),
                let contact = try device.contact.flatMap(connection.contacts.find(id:)), !contact.known
            {
                return contact.id
            }
            let key = ContactKey.anonymousPrefix + fresh
            return try connection.contact(key, known: false, of: device, now: now, budget: caller.linkBudget)
        }
    }

    private func link(
        _ caller: Caller,
        contact: @escaping @Sendable (any SQLConnection, DeviceRow, Date) throws -> Int64
    ) async throws -> Answered<LinkGrant> {
        let now = environment.now()
        let refreshToken = Base64URL.encode(environment.randomBytes(32))
        return try await database.write { [keys, environment] connection in
            var device = try connection.settled(connection.device(named: caller, now: now), environment)
            let standing = keys.standing(of: caller, to: device)
            var left: Int64?
            if device.takes(caller.order, by: standing, now: now) {
                let linked = try contact(connection, device, now)
                left = try connection.relink(&device, to: linked, by: standing, caller, now: now)
            } else if standing != .linked {
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
            return Answered(value: grant, clientState: keys.state(of: device, trusted: true))
        }
    }

    /// For a call that is older than the last link and does not show that it comes from this device: it may neither
    /// change the contact (WIRE-21) nor inherit it (WIRE-20). Its tokens have ended already, so that a client that was
    /// only slow registers anew.
    private func endedGrant(
        for device: DeviceRow, app: AppRecord, refreshToken: String, now: Date
    ) -> Answered<LinkGrant> {
        let beforeAnyLink: Int64 = -1
        let grant = LinkGrant(
            contactToken: token(for: device, app: app, generation: beforeAnyLink, now: now),
            refreshToken: refreshToken,
            contactReference: ContactReference(contact: 0, epoch: device.epoch).signed(for: device.id, with: keys)
        )
        return Answered(value: grant, clientState: keys.state(of: device, trusted: false))
    }

    /// A new contact token for a refresh token; one that is unknown, ended or another device's means: register anew.
    package func refresh(_ refreshToken: String, caller: Caller) async throws -> Answered<String> {
        let now = environment.now()
        return try await database.write { [keys] connection in
            guard let grant = try connection.refreshTokens.find(hash: Self.hash(refreshToken)),
                let device = try connection.devices.find(id: grant.device), device.app == caller.app.id,
                device.client == caller.client, grant.generation >= device.confirmedGeneration
            else {
                try connection.refuseErased(caller.client, app: caller.app)
                throw ServiceError.registerAnew
            }
            try connection.devices.confirmGeneration(grant.generation, of: device.id)
            try connection.refreshTokens.deleteOlder(than: grant.generation, device: device.id)
            return Answered(
                value: token(for: device, app: caller.app, generation: grant.generation, now: now),
                clientState: keys.state(of: device, trusted: true)
            )
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

extension SQLConnection {
    /// The contact with a key, made when it is unknown and somebody may make one more (SEC-9).
    fileprivate func contact(
        _ key: String, known: Bool, of device: DeviceRow, now: Date, budget: LinkBudget?
    ) throws -> Int64 {
        if let id = try contacts.number(app: device.app, key: key) { return id }
        try budget?.admitContact()
        return try contacts.findOrInsert(app: device.app, key: key, known: known, now: now)
    }

    /// Gives the device the contact that a link names. Who knows the id of a linked device and no more begins as a new
    /// installation, and cannot shut others out by a clock that is ahead.
    ///
    /// - Returns: the contact that the former installation had. No event names it any more, for its references have ended.
    fileprivate func relink(
        _ device: inout DeviceRow, to contact: Int64, by standing: CallerStanding, _ caller: Caller, now: Date
    ) throws -> Int64? {
        let former = standing == .stranger ? device.contact : nil
        if former != nil {
            try caller.linkBudget?.admitInstallation()
            try startNewInstallation(&device, now: now)
        }
        try reparent(&device, to: contact, by: standing, now: now)
        let order = caller.order.milliseconds
        device.contactOrder = standing == .stranger ? min(order, now.milliseconds) : order
        return former
    }
}

extension DeviceRow {
    /// Whether a link with this order counts, and is not older than the last one (WIRE-21). An order from the future,
    /// beyond what a slow network explains, shuts no installation out that has lost its state.
    fileprivate func takes(_ order: RequestOrder, by standing: CallerStanding, now: Date) -> Bool {
        if contact == nil || order.milliseconds >= contactOrder { return true }
        return standing == .stranger && contactOrder > now.addingTimeInterval(ClockOffset.tolerance).milliseconds
    }
}
