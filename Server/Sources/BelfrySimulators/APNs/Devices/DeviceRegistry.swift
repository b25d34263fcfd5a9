import Foundation
import NIOCore
import Synchronization

/// All device tokens that a simulator issued. They are spread over shards, each behind a lock of its own that is held
/// for one step on one device, so that event loops seldom wait for each other.
final class DeviceRegistry: Sendable {
    private static let shardCount = 64

    private struct Part: Sendable {
        var devices: [DeviceTokenKey: Device] = [:]
        var counts = DeliveryCounts()
        var lastStream: UInt64 = 0
    }

    private final class Shard: Sendable {
        let part = Mutex(Part())
    }

    private let shards: [Shard]
    private let limits: Device.Limits

    init(limits: Device.Limits) {
        self.limits = limits
        shards = (0..<Self.shardCount).map { _ in Shard() }
    }

    /// How many tokens there are.
    var count: Int {
        shards.reduce(0) { sum, shard in sum + shard.part.withLock { $0.devices.count } }
    }

    var counts: DeliveryCounts {
        shards.reduce(DeliveryCounts()) { sum, shard in sum + shard.part.withLock { $0.counts } }
    }

    func add(_ token: DeviceTokenKey, topic: String, environment: APNsSimulator.Environment) {
        shard(of: token).part.withLock { part in
            part.devices[token] = Device(topic: topic, environment: environment)
        }
    }

    /// False: there is no such token.
    func setState(of token: DeviceTokenKey, to state: APNsSimulator.TokenState) -> Bool {
        shard(of: token).part.withLock { $0.devices[token]?.setState(state) != nil }
    }

    /// Pushes that the token took; nil: there is no such token.
    func accepted(by token: DeviceTokenKey) -> Int? {
        shard(of: token).part.withLock { $0.devices[token]?.accepted }
    }

    /// Takes a push for its device and hands it over, or throws why not.
    func accept(
        _ push: APNsPush,
        apnsID: String,
        at service: APNsSimulator.Environment,
        now: Date
    ) throws(APNsRefusal) {
        let admission: Device.Admission? = shard(of: push.token).part.withLock { part in
            part.devices[push.token]?.admit(
                push,
                apnsID: apnsID,
                at: service,
                now: now,
                limits: limits,
                counts: &part.counts
            )
        }
        switch admission {
        case nil: throw APNsRefusal(.badDeviceToken)
        case .refused(let refusal)?: throw refusal
        case .accepted(let waiter)?: waiter?.succeed(())
        }
    }

    /// The device comes and listens; a stream or poll that it had ends. Nil: there is no such token.
    func listen(_ token: DeviceTokenKey, now: Date) -> AsyncStream<SimulatedNotification>? {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SimulatedNotification.self,
            bufferingPolicy: .bufferingNewest(limits.streamBuffer)
        )
        let (number, previous): (UInt64, DeviceLink?) = shard(of: token).part.withLock { part in
            part.lastStream += 1
            let number = part.lastStream
            let previous = part.devices[token]?.open(number, continuation, now: now, counts: &part.counts)
            return (number, previous)
        }
        guard let previous else { return nil }
        previous.end()
        continuation.onTermination = { [weak self] _ in
            self?.close(token, number)
        }
        return stream
    }

    private func close(_ token: DeviceTokenKey, _ number: UInt64) {
        _ = shard(of: token).part.withLock { $0.devices[token]?.close(number) }
    }

    /// What waits beyond `sequence`; nil: there is no such token. With nothing there, `waiter` is told of the next push.
    func poll(
        _ token: DeviceTokenKey,
        after sequence: Int,
        now: Date,
        until: Date,
        waiter: EventLoopPromise<Void>?
    ) -> [SimulatedNotification]? {
        let polled = shard(of: token).part.withLock { part in
            part.devices[token]?.poll(after: sequence, now: now, until: until, waiter: waiter, counts: &part.counts)
        }
        polled?.previous.end()
        return polled?.waiting
    }

    /// Ends every stream and poll.
    func disconnectAll() {
        for shard in shards {
            let links = shard.part.withLock { part in
                part.devices.keys.compactMap { part.devices[$0]?.disconnect() }
            }
            for link in links {
                link.end()
            }
        }
    }

    private func shard(of token: DeviceTokenKey) -> Shard {
        shards[token.shard(of: shards.count)]
    }
}
