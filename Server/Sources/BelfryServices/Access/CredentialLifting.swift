import BelfryModel
import BelfryStore
import Foundation

/// Replaces or removes the credentials of a push service, and ends the opt-outs that the former credentials had caused
/// (REG-33, REG-35).
///
/// Every device of the app may have such an opt-out. So most of them are ended before the change, in small transactions
/// between which other writes have their turn (SEC-2). The change is made in one transaction with the last few. If it
/// is interrupted before that, it is not made, and the next request ends the rest.
struct CredentialLifting: Sendable {
    /// Devices whose opt-outs are ended between two checks of the time. With the change, fewer devices of each reason
    /// are allowed: each may have much data.
    static let devicesAtOnce = 20

    let database: any SQLDatabase
    let environment: ServerEnvironment
    let app: Int64
    let provider: PushProvider
    /// Throws when the change must not be made of the stored credentials. Returns the date since which the service's
    /// responses about tokens were for another topic, project or key; nil when there were none.
    let judge: @Sendable (CredentialRecord?) throws -> Date?

    func change(by save: @escaping @Sendable (any SQLConnection, Date) throws -> Void) async throws {
        var isDone = false
        while !isDone {
            try await liftMost(at: environment.now())
            // The loop may have taken long, and a campaign that was launched meanwhile has not used the new
            // credentials.
            let now = environment.now()
            isDone = try await database.write { connection -> Bool in
                guard try liftRest(at: now, in: connection) else { return false }
                try save(connection, now)
                try endTopicErrors(in: connection)
                return true
            }
        }
    }

    /// Ends most opt-outs before the change. It finds the devices by a read, because the search alone may take long.
    private func liftMost(at now: Date) async throws {
        let found = try await database.read { connection -> [(lifting: OptOutLifting, devices: [Int64])] in
            try liftings(in: connection).map { lifting in
                let devices = try connection.optOuts.devices(for: lifting, app: app)
                return (lifting: lifting, devices: devices)
            }
        }
        for (lifting, devices) in found where devices.count >= Self.devicesAtOnce {
            var left = devices[...]
            while !left.isEmpty {
                let next = left
                left = try await database.write(turn: .patient) { connection -> ArraySlice<Int64> in
                    try lift(lifting, next, at: now, in: connection)
                }
            }
        }
    }

    /// - Returns: the devices that are left when the transaction has taken too long.
    private func lift(
        _ lifting: OptOutLifting, _ devices: ArraySlice<Int64>, at now: Date, in connection: any SQLConnection
    ) throws -> ArraySlice<Int64> {
        let time = StepTime(environment)
        var left = devices
        repeat {
            try connection.optOuts.lift(lifting, of: Array(left.prefix(Self.devicesAtOnce)), now: now)
            left = left.dropFirst(Self.devicesAtOnce)
        } while !left.isEmpty && !time.isOver
        return left
    }

    /// - Returns: false when many devices are left again.
    private func liftRest(at now: Date, in connection: any SQLConnection) throws -> Bool {
        for lifting in try liftings(in: connection) {
            let left = try connection.optOuts.devices(for: lifting, app: app, limit: Self.devicesAtOnce)
            try connection.optOuts.lift(lifting, of: left, now: now)
            guard left.count < Self.devicesAtOnce else { return false }
        }
        return true
    }

    /// The opt-outs to end: those of wrong credentials (REG-33), those from the service's responses to credentials of
    /// another topic, project or key, and those of campaigns since they began to send with a wrong topic or
    /// environment, even if they were resumed meanwhile (REG-35).
    private func liftings(in connection: any SQLConnection) throws -> [OptOutLifting] {
        let former = try connection.credentials.find(app: app, provider: provider)
        let moments = [try judge(former), try connection.campaigns.topicErrorsSince(app: app)]
        let wrong = OptOutLifting(.providerAuthentication, of: provider)
        guard let since = moments.compactMap(\.self).min() else { return [wrong] }
        return [wrong, OptOutLifting(.tokenMalformed, of: provider, since: since)]
    }

    /// Ends the campaigns' topic errors, unless another push service has caused some of them. A campaign sends by
    /// several services, and that service's credentials may be corrected later.
    private func endTopicErrors(in connection: any SQLConnection) throws {
        guard let since = try connection.campaigns.topicErrorsSince(app: app) else { return }
        let isAnothers = try connection.optOuts.exist(
            app: app, except: provider, reason: .tokenMalformed, since: since
        )
        if !isAnothers { try connection.campaigns.endTopicErrors(app: app) }
    }
}
