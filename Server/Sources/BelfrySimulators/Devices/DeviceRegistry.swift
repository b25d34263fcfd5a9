import Foundation
import NIOCore
import ServiceLifecycle
import Synchronization

/// All device tokens that a simulator issued. They are distributed over shards, each with its own lock, which is held
/// for one step on one device, so that event loops seldom wait for each other.
final class DeviceRegistry<Standing: Sendable, Item: MailboxItem>: Sendable {
    private struct Part: Sendable {
        var devices: [DeviceTokenKey: Device<Standing, Item>] = [:]
        var counts = DeliveryCounts()
        var lastStream: UInt64 = 0
        /// The limit beyond which one device gets 429.
        var rate: SimulatorQuota?
    }

    private final class Shard: Sendable {
        let part: Mutex<Part>

        init(rate: SimulatorQuota?) {
            part = Mutex(Part(rate: rate))
        }
    }

    private enum Admission<Failure: Error>: Sendable {
        case rejected(Failure)
        case accepted(wake: EventLoopPromise<Void>?)
    }

    private let shards: [Shard]
    private let limits: DeviceLimits

    init(limits: DeviceLimits, shardCount: Int = 64) {
        self.limits = limits
        shards = (0..<shardCount).map { _ in Shard(rate: limits.rate) }
    }

    /// The number of tokens.
    var count: Int {
        shards.reduce(0) { sum, shard in sum + shard.part.withLock { $0.devices.count } }
    }

    var counts: DeliveryCounts {
        shards.reduce(DeliveryCounts()) { sum, shard in sum + shard.part.withLock { $0.counts } }
    }

    func add(_ token: DeviceTokenKey, _ standing: Standing) {
        shard(of: token).part.withLock { $0.devices[token] = Device(standing) }
    }

    /// The service's knowledge of a token; nil: the token does not exist.
    func standing(of token: DeviceTokenKey) -> Standing? {
        shard(of: token).part.withLock { $0.devices[token]?.standing }
    }

    /// The tokens whose state meets the condition, in no order.
    func tokens(where isMeant: (Standing) -> Bool) -> [DeviceTokenKey] {
        shards.flatMap { shard in
            shard.part.withLock { part in part.devices.filter { isMeant($0.value.standing) }.map(\.key) }
        }
    }

    /// Changes the state of a token, and drops its waiting pushes unless it is still valid. False: the token does not
    /// exist.
    func change(_ token: DeviceTokenKey, keepsWaiting: Bool, _ change: (inout Standing) -> Void) -> Bool {
        shard(of: token).part.withLock { part in
            part.devices[token]?.change(keepsWaiting: keepsWaiting, change) != nil
        }
    }

    /// Sets the limit beyond which one device gets 429; nil: no limit.
    func setRate(_ rate: SimulatorQuota?) {
        for shard in shards { shard.part.withLock { $0.rate = rate } }
    }

    /// The number of pushes accepted for the token; nil: the token does not exist.
    func accepted(by token: DeviceTokenKey) -> Int? {
        shard(of: token).part.withLock { $0.devices[token]?.accepted }
    }

    /// Takes a push for its device and hands it over, or throws why not: what `error` says of the device (nil: there
    /// is no such token), or `overrun` if it takes too many, given the seconds to wait.
    func accept<Failure: Error>(
        for token: DeviceTokenKey,
        now: Date,
        error: (Standing?) -> Failure?,
        overrun: (Int) -> Failure,
        _ push: (_ standing: Standing, _ sequence: Int) -> Item
    ) throws(Failure) {
        let admission: Admission<Failure>? = shard(of: token).part.withLock { part in
            if let error = error(part.devices[token]?.standing) { return .rejected(error) }
            if let pause = part.devices[token]?.pause(now: now, limit: part.rate) ?? nil {
                return .rejected(overrun(pause))
            }
            let wake = part.devices[token]?.accept(now: now, limits: limits, counts: &part.counts, push)
            return .accepted(wake: wake ?? nil)
        }
        switch admission {
        case .rejected(let error)?: throw error
        case .accepted(let waiter)?: waiter?.succeed(())
        case nil: break
        }
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

// MARK: How devices get what was accepted
extension DeviceRegistry {
    /// The device comes online and listens; its previous stream or poll ends. Nil: the token does not exist.
    func listen(_ token: DeviceTokenKey, now: Date) -> AsyncStream<Item>? {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Item.self,
            bufferingPolicy: .bufferingNewest(limits.streamBuffer)
        )
        let (number, previous): (UInt64, SimulatedDeviceLink<Item>?) = shard(of: token).part.withLock { part in
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

    /// The pushes that wait beyond `sequence`; nil: the token does not exist. If there are none, the next push or
    /// another poll completes `waiter`; otherwise `waiter` is not kept.
    ///
    /// - Parameter until: how long the device counts as online.
    func poll(
        _ token: DeviceTokenKey,
        after sequence: Int,
        now: Date,
        until: Date,
        waiter: EventLoopPromise<Void>?
    ) -> [Item]? {
        let polled = shard(of: token).part.withLock { part in
            part.devices[token]?.poll(after: sequence, now: now, until: until, waiter: waiter, counts: &part.counts)
        }
        polled?.previous.end()
        return polled?.waiting
    }

    /// The pushes that wait for a device of another process beyond `sequence`. If there are none, it waits for the next
    /// push, at most for `wait`. Nil: the token does not exist.
    func poll(
        _ token: DeviceTokenKey,
        after sequence: Int,
        wait: Duration,
        on eventLoop: any EventLoop,
        clock: @Sendable () -> Date
    ) async throws -> [Item]? {
        let news = eventLoop.makePromise(of: Void.self)
        // However the timer ends (it fires, is cancelled, or its loop ends), the promise is completed.
        let timer = eventLoop.scheduleTask(in: TimeAmount(wait)) {}
        timer.futureResult.whenComplete { _ in news.succeed(()) }
        defer { timer.cancel() }
        let now = clock()
        let until = now.addingTimeInterval(Double(wait.components.seconds) + MailboxTimes.pollGrace)
        guard let waiting = poll(token, after: sequence, now: now, until: until, waiter: news) else { return nil }
        guard waiting.isEmpty, wait > .zero else { return waiting }
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await news.futureResult.get()
        } onCancelOrGracefulShutdown: {
            news.succeed(())
        }
        let later = clock()
        let grace = later.addingTimeInterval(MailboxTimes.pollGrace)
        return poll(token, after: sequence, now: later, until: grace, waiter: nil) ?? []
    }
}

/// Counts of what happened to accepted pushes.
struct DeliveryCounts: Sendable, Equatable {
    /// Pushes that were handed to a device.
    var delivered = 0
    /// Pushes that were stored for a device, for later or until the device acknowledges them.
    var kept = 0
    /// The stored pushes that were replaced by a newer one with the same collapse id.
    var replaced = 0
    /// Lost pushes: expired, not to be stored, displaced, or more than a device read from its stream.
    var discarded = 0

    static func + (one: DeliveryCounts, other: DeliveryCounts) -> DeliveryCounts {
        DeliveryCounts(
            delivered: one.delivered + other.delivered,
            kept: one.kept + other.kept,
            replaced: one.replaced + other.replaced,
            discarded: one.discarded + other.discarded
        )
    }
}
