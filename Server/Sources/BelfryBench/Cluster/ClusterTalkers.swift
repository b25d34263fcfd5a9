import AsyncHTTPClient
import BelfryModel
import Foundation
import NIOCore
import Synchronization

/// Devices that send events and registrations all the time, whatever happens to the cluster. As the SDK does, each sends
/// the same again until it is acknowledged.
struct ClusterTalkers: Sendable {
    /// Half of them send events, the others register.
    static let count = 8
    static let eventsOfUpload = 5
    private static let pause = Duration.milliseconds(100)
    /// How long a call may be refused.
    private static let patience = Duration.seconds(600)

    /// What the servers acknowledged.
    struct Acknowledged: Sendable {
        var events: Set<String> = []
        var registrations = 0
        /// The last revision of each device that registers, by its id.
        var revisions: [String: Int64] = [:]
        /// The number of calls that were refused or had no response, and were made again.
        var refusals = 0

        mutating func add(_ other: Acknowledged) {
            events.formUnion(other.events)
            registrations += other.registrations
            revisions.merge(other.revisions) { $1 }
            refusals += other.refusals
        }
    }

    let devices: [BenchDevice]
    /// The addresses of the servers; a call that is made again goes to the next one.
    let servers: [String]
    let http: BenchHTTP

    /// Lets them talk during the body, and then until their last calls are acknowledged.
    func run<Value: Sendable>(
        beside body: () async throws -> Value
    ) async throws -> (value: Value, acknowledged: Acknowledged) {
        let end = End()
        return try await withThrowingTaskGroup(of: Acknowledged.self) { group in
            for (number, device) in devices.enumerated() {
                group.addTask {
                    guard number.isMultiple(of: 2) else { return try await register(device, until: end) }
                    return try await sendEvents(number, device, until: end)
                }
            }
            let value = try await body()
            end.set()
            var all = Acknowledged()
            for try await one in group { all.add(one) }
            return (value: value, acknowledged: all)
        }
    }

    /// Set when the talkers may stop.
    private final class End: Sendable {
        private let isReached = Atomic(false)

        var isSet: Bool { isReached.load(ordering: .relaxed) }

        func set() { isReached.store(true, ordering: .relaxed) }
    }

    private func sendEvents(_ number: Int, _ device: BenchDevice, until end: End) async throws -> Acknowledged {
        var acknowledged = Acknowledged()
        var uploads = 0
        repeat {
            let id = "talk-\(number)-\(uploads)"
            let body = FleetUpload.events(Self.eventsOfUpload, id, at: Date())
            acknowledged.refusals += try await send(body, to: "events", of: device)
            acknowledged.events.formUnion((0..<Self.eventsOfUpload).map { "\(id)-\($0)" })
            uploads += 1
            try await Task.sleep(for: Self.pause)
        } while !end.isSet
        return acknowledged
    }

    private func register(_ device: BenchDevice, until end: End) async throws -> Acknowledged {
        var acknowledged = Acknowledged()
        var revision: Int64 = 0
        repeat {
            revision += 1
            // Without a token and attributes: no campaign of this benchmark goes to it.
            let snapshot = RegistrationSnapshot(
                deviceId: device.id, registrationId: UUID().uuidString, revision: revision, pushEnabled: true,
                system: SystemProperties(platform: "ios", appVersion: "1.0.\(revision)")
            )
            let body = ByteBuffer(bytes: try BenchRegistration.encoder().encode(snapshot))
            acknowledged.refusals += try await send(body, to: "registration", of: device)
            acknowledged.registrations += 1
            acknowledged.revisions[device.id] = revision
            try await Task.sleep(for: Self.pause)
        } while !end.isSet
        return acknowledged
    }

    /// Makes a call until it is acknowledged.
    ///
    /// - Returns: how often it was not.
    private func send(_ body: ByteBuffer, to call: String, of device: BenchDevice) async throws -> Int {
        let clock = ContinuousClock()
        let begin = clock.now
        var refusals = 0
        while true {
            let server = servers[refusals % servers.count]
            if try await isTaken(device.post(body, to: call, at: server, order: Date())) { return refusals }
            refusals += 1
            guard clock.now - begin < Self.patience else { throw ClusterBenchError.refused(call) }
            try await clock.sleep(for: Self.pause)
        }
    }

    /// - Returns: false if the same call may succeed later.
    private func isTaken(_ call: HTTPClientRequest) async throws -> Bool {
        do {
            return try await http.isTaken(call)
        } catch BenchHTTPError.rejected(_, let status) where status == 429 || status >= 500 {
            return false
        }
    }
}
