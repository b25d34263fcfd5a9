import BelfryModel
import BelfryStore
import Foundation

/// Finds the device of a call to the device API. It is the first step in the transaction of the call (WIRE-20,
/// WIRE-22).
struct CallerLookup {
    let connection: any SQLConnection

    /// Finds the installation that the caller proves to be; else an installation under the caller's id that nobody has
    /// linked. The caller's own former row, which was revoked, comes before others, unless some of its data is still to
    /// be removed. If there is none, a new one is created, within the limit of the caller's address (SEC-2). An id
    /// alone can be guessed, so it does not give access to another's installation, ends none and takes nothing from one
    /// (WIRE-20).
    ///
    /// A client that begins again after an erasure gets a row of its own, in an epoch that its state names. If the
    /// response is lost, the repeated call finds that row as long as nobody has used a link of it.
    ///
    /// - Parameter admitsWhoHasLeft: whether the state of a person who has left finds the installation. Then a late
    ///   copy of their link is answered by it and creates no other (ID-10). It must be false where the call stores data
    ///   (SEC-10).
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

    /// An installation that the caller, who proves to be none, has created before or may share.
    ///
    /// - Parameter epoch: the epoch after an erasure. Nil for a caller of whom only the id is known.
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

    /// The rows of the caller's id that its state and token name, even if those no longer count.
    private func shownDevices(of caller: Caller, keys: ServerKeys) throws -> [FoundDevice] {
        try keys.devices(shownBy: caller).compactMap { number in
            guard let found = try FoundDevice.first({ try connection.devices.find(id: number, in: $0) }),
                found.device.app == caller.app.id, found.device.client == caller.client
            else { return nil }
            return found
        }
    }

    /// The device to continue with. A dormant device is woken.
    private func awake(_ found: FoundDevice) throws -> DeviceRow {
        guard found.table == .dormant else { return found.device }
        return try connection.dormantDevices.wake(found.device.id) ?? found.device
    }

    /// The caller's device that got a refresh token. Nil for another's token, and for one that no longer counts.
    func device(grantedBy grant: RefreshTokenRepository.Grant, to caller: Caller) throws -> DeviceRow? {
        let found = try FoundDevice.first { try connection.devices.find(id: grant.device, in: $0) }
        guard let found, found.device.app == caller.app.id, found.device.client == caller.client,
            found.device.link.accepts(tokensOf: grant.generation)
        else { return nil }
        return try awake(found)
    }

    /// The link of the caller's device. The first use of a link generation ends the earlier ones (WIRE-20). Throws for
    /// a token of an ended generation.
    func link(of caller: AuthenticatedCaller) throws -> DeviceLink {
        let found = try awake([caller]) { try $0.map { try connection.devices.link(id: $0) } }
        return try confirmed(found.first ?? nil, of: caller)
    }

    /// The link of the caller's device, as ``link(of:)`` gives it.
    ///
    /// - Parameter found: the link that was read before in this transaction. Nil when the device was not found.
    func confirmed(_ found: DeviceLink?, of caller: AuthenticatedCaller) throws -> DeviceLink {
        let link = try shown(found, of: caller)
        if caller.generation > link.confirmedGeneration {
            try connection.devices.confirmGeneration(caller.generation, of: link.id)
            // Before the first generation there is none.
            if caller.generation > 1 {
                try connection.refreshTokens.deleteOlder(than: caller.generation, device: link.id)
            }
        }
        return link
    }

    /// The link of the caller's device, without a write. Throws for a link generation that has ended, and ends none.
    func shown(_ found: DeviceLink?, of caller: AuthenticatedCaller) throws -> DeviceLink {
        guard let link = found, link.isOf(caller) else {
            // For a client of v3 its state decides, which the handler of this error checks.
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

    /// Finds a value for each of the callers' devices, in their order, and wakes dormant devices first. It looks for
    /// dormant ones only where nothing is found. A device stays dormant when its call is to be refused.
    func awake<Found>(
        _ callers: [AuthenticatedCaller], _ look: ([Int64]) throws -> [Found?]
    ) throws -> [Found?] {
        var found = try look(callers.map(\.device))
        // All that may be woken, so that the call does not run again for each of them.
        try connection.hold {
            try zip(callers, found).map { caller, found -> Int64? in
                guard found == nil else { return nil }
                return try connection.devices.link(id: caller.device, in: .dormant)?.contact
            }
        }
        var woken: Set<Int64> = []
        for (place, caller) in callers.enumerated() where found[place] == nil {
            if try isDormant(caller), try connection.dormantDevices.wake(caller.device) != nil {
                woken.insert(caller.device)
            }
            // This call has woken the device, or another call of the same device in this group.
            guard woken.contains(caller.device) else { continue }
            found[place] = try look([caller.device]).first ?? nil
        }
        return found
    }

    /// Whether the caller's device is dormant and this call is to wake it.
    func isDormant(_ caller: AuthenticatedCaller) throws -> Bool {
        guard let link = try connection.devices.link(id: caller.device, in: .dormant) else { return false }
        return link.isOf(caller)
    }

    /// The whole row of the caller's device.
    func device(of caller: AuthenticatedCaller) throws -> DeviceRow {
        let link = try link(of: caller)
        guard let device = try connection.devices.find(id: link.id) else {
            throw StoreError.corrupted(table: "devices", key: String(link.id))
        }
        return device
    }

    /// The erasure of the caller's installation, which must not come back: every call of it gets status 410 (REG-36).
    /// It is only looked up when a device is missing, so existing devices do not pay for it.
    ///
    /// - Returns: nil for all others: for another installation with the same id (WIRE-20), and for a client of v3
    ///   without a state of this server from before the erasure. Such a client keeps its id for good and has no other
    ///   way to begin again.
    func erasure(of caller: Caller, keys: ServerKeys) throws -> Erasure? {
        guard let erasedAt = try connection.erasedDevices.find(caller.client, app: caller.app.id) else { return nil }
        guard try shownDevices(of: caller, keys: keys).isEmpty else { return nil }
        guard caller.v3 != nil else { return Erasure() }
        guard let shown = ClientStateHeader(caller.state, for: caller.client.canonical, with: keys) else { return nil }
        let fresh = ClientStateHeader(after: erasedAt, with: keys)
        return shown == fresh ? nil : Erasure(state: fresh.signed(for: caller.client.canonical, with: keys))
    }

    /// The epoch of a new installation whose client shows the state from after the newest erasure. Nil for all others.
    /// No other installation reaches such an epoch: others count theirs from 0.
    private func epochAfterErasure(of caller: Caller, keys: ServerKeys) throws -> Int64? {
        guard caller.v3 != nil,
            let shown = ClientStateHeader(caller.state, for: caller.client.canonical, with: keys), shown.isAfterErasure,
            let erasedAt = try connection.erasedDevices.find(caller.client, app: caller.app.id),
            shown == ClientStateHeader(after: erasedAt, with: keys)
        else { return nil }
        return shown.epoch
    }

    /// Nil when a write is needed: the caller's token ends earlier ones, or the device is dormant.
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

/// A device, and the table that contains its row.
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

/// A read for a caller whose device's link is known.
typealias CallerRead<Value> = @Sendable (_ connection: any SQLConnection, _ link: DeviceLink) throws -> Value

extension SQLDatabase {
    /// Reads for a caller, in one view of the store and without a write. Only the first use of a newer link's token,
    /// which ends the earlier ones (WIRE-20), and the return of a dormant device need a write; then the write
    /// transaction reads, too.
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

    /// Reads for a caller without waiting for the result. `completion` gets nil where a write is needed, as in
    /// ``read(for:_:)``.
    func readOnly<Value: Sendable>(
        for caller: AuthenticatedCaller, _ body: @escaping CallerRead<Value>,
        completion: @escaping @Sendable (Result<(link: DeviceLink, value: Value)?, any Error>) -> Void
    ) {
        read({ try CallerLookup(connection: $0).read(for: caller, body) }, completion: completion)
    }
}

/// The error for an installation whose person was erased (REG-36).
package struct Erasure: Hashable, Sendable {
    package static let error = ServiceError.gone(
        code: "erased", message: "This installation was erased. Delete all its data and send nothing more."
    )

    /// The state that replaces a v3 client's state from before the erasure. With it the client begins again.
    package var state: String?

    package var error: ServiceError { Self.error }
}
