import BelfryModel
import BelfryStore
import Foundation

/// The device that a call of the device API is for: looked up first in the transaction of the call, which goes on with
/// it (WIRE-20, WIRE-22).
struct CallerLookup {
    let connection: any SQLConnection

    /// The installation that the caller shows to be; else one under its id that nobody has linked: the row that was the
    /// caller's own until it was revoked, before any other, unless some of what was said by it is still to be removed. One is
    /// made when there is none and the caller's address may make one more (SEC-2). With an id alone, which can be guessed,
    /// nobody gets into the installation of another, ends it or takes anything from it (WIRE-20).
    ///
    /// Who begins anew after an erasure begins a row of its own, in an epoch that its state names: so the same call, whose
    /// answer was lost, finds that row again for as long as nobody has used a link of it.
    ///
    /// - Parameter admitsWhoHasLeft: whether the installation is found by the state of a person who has left: a late copy of
    ///   their link is answered by it, and begins no other (ID-10). What is to be kept is not kept there (SEC-10).
    func device(
        named caller: Caller, admitsWhoHasLeft: Bool = true, keys: ServerKeys, now: Date
    ) throws -> DeviceRow {
        let shown = try shownDevices(of: caller, keys: keys)
        let own = shown.first { found in
            keys.authLevel(of: caller, to: found.device) != .unauthenticated
                && (admitsWhoHasLeft || !keys.hasLeft(caller, found.device))
        }
        if let own { return try awake(own) }
        if let erasure = try erasure(of: caller, keys: keys) { throw erasure.error }
        let free = try shown.first { found in
            try found.device.contact == nil && !connection.endedInstallations.contains(found.device.id)
        }
        if let free { return try awake(free) }
        let epoch = try epochAfterErasure(of: caller, keys: keys)
        if let found = try installation(of: caller, begunIn: epoch) { return try awake(found) }
        try caller.admitInstallation()
        return try connection.devices.insert(app: caller.app.id, client: caller.client, epoch: epoch ?? 0, now: now)
    }

    /// The installation that a caller who shows none has begun before, or may share.
    ///
    /// - Parameter epoch: after an erasure; nil for a caller of whom nothing is known but the id.
    private func installation(of caller: Caller, begunIn epoch: Int64?) throws -> FoundDevice? {
        let (devices, app, client) = (connection.devices, caller.app.id, caller.client)
        return try FoundDevice.first { table in
            let found =
                if let epoch {
                    try devices.unconfirmed(app: app, client: client, epoch: epoch, in: table)
                } else {
                    try devices.unlinked(app: app, client: client, in: table)
                }
            guard let free = found, try !connection.endedInstallations.contains(free.id) else { return nil }
            return free
        }
    }

    /// The rows of the caller's id that its state and token name, whatever they are worth by now.
    private func shownDevices(of caller: Caller, keys: ServerKeys) throws -> [FoundDevice] {
        try keys.devices(shownBy: caller).compactMap { number in
            guard let found = try FoundDevice.first({ try connection.devices.find(id: number, in: $0) }),
                found.device.app == caller.app.id, found.device.client == caller.client
            else { return nil }
            return found
        }
    }

    /// The device that a call goes on with: a dormant one comes back.
    private func awake(_ found: FoundDevice) throws -> DeviceRow {
        guard found.table == .dormant else { return found.device }
        return try connection.dormantDevices.wake(found.device.id) ?? found.device
    }

    /// The caller's device that got a refresh token; nil for another's, and for a token that does not count any more.
    func device(grantedBy grant: RefreshTokenRepository.Grant, to caller: Caller) throws -> DeviceRow? {
        let found = try FoundDevice.first { try connection.devices.find(id: grant.device, in: $0) }
        guard let found, found.device.app == caller.app.id, found.device.client == caller.client,
            found.device.link.accepts(tokensOf: grant.generation)
        else { return nil }
        return try awake(found)
    }

    /// The link of the caller's device; ends earlier link generations once a newer one is used (WIRE-20), and refuses
    /// theirs.
    func link(of caller: AuthenticatedCaller) throws -> DeviceLink {
        let found = try awake([caller]) { try $0.map { try connection.devices.link(id: $0) } }
        return try confirmed(found.first ?? nil, of: caller)
    }

    /// The same with what was found of the device before, in this transaction; nil: it is not there.
    func confirmed(_ found: DeviceLink?, of caller: AuthenticatedCaller) throws -> DeviceLink {
        let link = try shown(found, of: caller)
        if caller.generation > link.confirmedGeneration {
            try connection.devices.confirmGeneration(caller.generation, of: link.id)
            // Before the first there is none.
            if caller.generation > 1 {
                try connection.refreshTokens.deleteOlder(than: caller.generation, device: link.id)
            }
        }
        return link
    }

    /// The link of the caller's device, as far as it can be told without a write: refuses link generations that have
    /// ended, and ends none.
    func shown(_ found: DeviceLink?, of caller: AuthenticatedCaller) throws -> DeviceLink {
        guard let link = found, link.isOf(caller) else {
            // Of a client of v3 its state decides, which is looked at where this is answered.
            if found == nil, !caller.isV3, try connection.erasedDevices.find(caller.client, app: caller.app.id) != nil,
                try !connection.dormantDevices.contains(caller.device)
            {
                throw Erasure.error
            }
            throw ServiceError.unauthorized(
                code: "contactTokenInvalid", message: CallerAuthentication.endedToken
            )
        }
        return link
    }

    /// What is found of the callers' devices, in their order; those that are dormant come back first. They are looked for
    /// only where nothing is found, and stay where they are when the call is to be refused.
    func awake<Found>(
        _ callers: [AuthenticatedCaller], _ look: ([Int64]) throws -> [Found?]
    ) throws -> [Found?] {
        var found = try look(callers.map(\.device))
        var woken: Set<Int64> = []
        for (place, caller) in callers.enumerated() where found[place] == nil {
            if try isDormant(caller), try connection.dormantDevices.wake(caller.device) != nil {
                woken.insert(caller.device)
            }
            // By this call, or by another one of the same device.
            guard woken.contains(caller.device) else { continue }
            found[place] = try look([caller.device]).first ?? nil
        }
        return found
    }

    /// Whether the caller's device is dormant, and is to come back by this call.
    func isDormant(_ caller: AuthenticatedCaller) throws -> Bool {
        guard let link = try connection.devices.link(id: caller.device, in: .dormant) else { return false }
        return link.isOf(caller)
    }

    /// The caller's device, whole.
    func device(of caller: AuthenticatedCaller) throws -> DeviceRow {
        let link = try link(of: caller)
        guard let device = try connection.devices.find(id: link.id) else {
            throw StoreError.corrupted(table: "devices", key: String(link.id))
        }
        return device
    }

    /// The erasure of the caller's installation, which stays away: whatever it calls is answered with 410 (REG-36). It is
    /// asked for only where a device is missing, so that those that are there pay nothing for it.
    ///
    /// - Returns: nil for everybody else: for another installation with the same id (WIRE-20), and for a client of v3 that
    ///   shows nothing of ours from before the erasure. Such a client keeps its id for good, and knows no other way to begin
    ///   anew.
    func erasure(of caller: Caller, keys: ServerKeys) throws -> Erasure? {
        guard let erasedAt = try connection.erasedDevices.find(caller.client, app: caller.app.id) else { return nil }
        guard try shownDevices(of: caller, keys: keys).isEmpty else { return nil }
        guard caller.v3 != nil else { return Erasure() }
        guard let shown = ClientStateHeader(caller.state, for: caller.client.canonical, with: keys) else { return nil }
        let fresh = ClientStateHeader(after: erasedAt, with: keys)
        return shown == fresh ? nil : Erasure(state: fresh.signed(for: caller.client.canonical, with: keys))
    }

    /// In which epoch an installation begins whose client shows the state from after the newest erasure; nil for everybody
    /// else. No other installation comes to such an epoch: others count theirs from 0.
    private func epochAfterErasure(of caller: Caller, keys: ServerKeys) throws -> Int64? {
        guard caller.v3 != nil,
            let shown = ClientStateHeader(caller.state, for: caller.client.canonical, with: keys), shown.isAfterErasure,
            let erasedAt = try connection.erasedDevices.find(caller.client, app: caller.app.id),
            shown == ClientStateHeader(after: erasedAt, with: keys)
        else { return nil }
        return shown.epoch
    }

    /// Nil when the caller's token ends earlier ones, which is to be written down, or when the device is dormant.
    fileprivate func read<Value>(
        for caller: AuthenticatedCaller, _ body: CallerRead<Value>
    ) throws -> (link: DeviceLink, value: Value)? {
        let found = try connection.devices.link(id: caller.device)
        if try found == nil && isDormant(caller) { return nil }
        let link = try shown(found, of: caller)
        guard caller.generation <= link.confirmedGeneration else { return nil }
        return (link, try body(connection, link))
    }
}

/// A device, and where it lies.
private struct FoundDevice {
    let device: DeviceRow
    let table: DeviceTable

    static func first(_ look: (DeviceTable) throws -> DeviceRow?) rethrows -> FoundDevice? {
        for table in DeviceTable.allCases {
            if let device = try look(table) { return FoundDevice(device: device, table: table) }
        }
        return nil
    }
}

extension DeviceLink {
    /// Whether the caller acts for this device, by a token that counts.
    fileprivate func isOf(_ caller: AuthenticatedCaller) -> Bool {
        app == caller.app.id && accepts(tokensOf: caller.generation)
    }
}

/// What is read for a caller, of whose device the link is known.
typealias CallerRead<Value> = @Sendable (_ connection: any SQLConnection, _ link: DeviceLink) throws -> Value

extension SQLDatabase {
    /// Reads for a caller: one view of the store, and no write. Only the first use of a newer link's token, which ends
    /// the earlier ones (WIRE-20), and the return of a dormant device are written down, and read there.
    func read<Value: Sendable>(
        for caller: AuthenticatedCaller, _ body: @escaping CallerRead<Value>
    ) async throws -> (link: DeviceLink, value: Value) {
        if let response = try await read({ try CallerLookup(connection: $0).read(for: caller, body) }) {
            return response
        }
        return try await write { connection in
            let link = try CallerLookup(connection: connection).link(of: caller)
            return (link, try body(connection, link))
        }
    }

    /// The same for a caller who goes on; nil where something is to be written down.
    func readOnly<Value: Sendable>(
        for caller: AuthenticatedCaller, _ body: @escaping CallerRead<Value>,
        completion: @escaping @Sendable (Result<(link: DeviceLink, value: Value)?, any Error>) -> Void
    ) {
        read({ try CallerLookup(connection: $0).read(for: caller, body) }, completion: completion)
    }
}

/// The answer to an installation whose person was erased (REG-36).
package struct Erasure: Hashable, Sendable {
    package static let error = ServiceError.gone(
        code: "erased", message: "This installation was erased. Delete all its data and send nothing more."
    )

    /// What a client of v3 stores in place of its state from before the erasure: with it the client begins anew.
    package var state: String?

    package var error: ServiceError { Self.error }
}
