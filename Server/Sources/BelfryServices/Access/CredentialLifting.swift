import BelfryModel
import BelfryStore
import Foundation

/// Credentials of a push service are replaced or removed, and what the former ones had caused is lifted (REG-33, REG-35).
///
/// That may be an opt-out of each device of the app, so most of them are lifted before, in writes between which others
/// have their turn (SEC-2). The change comes with the last few: if it is broken off before, it has not been made, and
/// whoever asks for it again has the rest lifted.
struct CredentialLifting: Sendable {
    /// Devices that are lifted between two looks at the time, and fewer of each reason with the change: each may have said
    /// much.
    static let devicesAtOnce = 20

    let database: any SQLDatabase
    let environment: ServerEnvironment
    let app: Int64
    let provider: PushProvider
    /// Throws when the change must not be made of what is stored. Else since when the service has said things of tokens
    /// that it said to credentials of another topic, project or key; nil: it has not.
    let judge: @Sendable (CredentialRecord?) throws -> Date?

    func change(by save: @escaping @Sendable (any SQLConnection, Date) throws -> Void) async throws {
        var isDone = false
        while !isDone {
            try await liftMost(at: environment.now())
            // That may have taken long, and a campaign that was launched meanwhile has shown nothing of the new credentials.
            let now = environment.now()
            isDone = try await database.write { connection -> Bool in
                guard try liftRest(at: now, in: connection) else { return false }
                try save(connection, now)
                try endTopicErrors(in: connection)
                return true
            }
        }
    }

    /// Those whose search alone may take long are found by a read.
    private func liftMost(at now: Date) async throws {
        let found = try await database.read { connection -> [(lifting: OptOutLifting, devices: [Int64])] in
            try liftings(in: connection).map { lifting in
                let devices = try connection.devices.optedOut(lifting, app: app)
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

    /// - Returns: those that are left when the transaction has taken long.
    private func lift(
        _ lifting: OptOutLifting, _ devices: ArraySlice<Int64>, at now: Date, in connection: any SQLConnection
    ) throws -> ArraySlice<Int64> {
        let time = StepTime(environment)
        var left = devices
        repeat {
            try connection.devices.liftOptOuts(lifting, of: Array(left.prefix(Self.devicesAtOnce)), now: now)
            left = left.dropFirst(Self.devicesAtOnce)
        } while !left.isEmpty && !time.isOver
        return left
    }

    /// - Returns: false when there are many again.
    private func liftRest(at now: Date, in connection: any SQLConnection) throws -> Bool {
        for lifting in try liftings(in: connection) {
            let left = try connection.devices.optedOut(lifting, app: app, limit: Self.devicesAtOnce)
            try connection.devices.liftOptOuts(lifting, of: left, now: now)
            guard left.count < Self.devicesAtOnce else { return false }
        }
        return true
    }

    /// What wrong credentials did (REG-33), what the service said to credentials that reached others, and what campaigns
    /// did since they began to send with a wrong topic or environment, however often they were resumed meanwhile (REG-35).
    private func liftings(in connection: any SQLConnection) throws -> [OptOutLifting] {
        let former = try connection.credentials.find(app: app, provider: provider)
        let moments = [try judge(former), try connection.campaigns.topicErrorsSince(app: app)]
        let wrong = OptOutLifting(.providerAuthentication, of: provider)
        guard let since = moments.compactMap(\.self).min() else { return [wrong] }
        return [wrong, OptOutLifting(.tokenMalformed, of: provider, since: since)]
    }

    /// A campaign sends by several services: the trouble may be another one's, whose credentials come later.
    private func endTopicErrors(in connection: any SQLConnection) throws {
        guard let since = try connection.campaigns.topicErrorsSince(app: app) else { return }
        let isAnothers = try connection.devices.hasOptOuts(
            app: app, except: provider, reason: .tokenMalformed, since: since
        )
        if !isAnothers { try connection.campaigns.endTopicErrors(app: app) }
    }
}
