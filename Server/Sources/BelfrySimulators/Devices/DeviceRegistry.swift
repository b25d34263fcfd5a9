import Foundation
import NIOCore
import ServiceLifecycle
import Synchronization

/// All device tokens that a simulator issued. They are spread over shards, each behind a lock of its own that is held
/// for one step on one device, so that event loops seldom wait for each other.
final class DeviceRegistry<Standing: Sendable, Item: MailboxItem>: Sendable {
    private struct Part: Sendable {
        var devices: [DeviceTokenKey: Device<Standing, Item>] = [:]
        var counts = DeliveryCounts()
        var lastStream: UInt64 = 0
        /// When one device gets 429.
        var rate: SimulatorQuota?
    }

    private final class Shard: Sendable {
        let part: Mutex<Part>

        init(rate: SimulatorQuota?) {
            part = Mutex(Part(rate: rate))
        }
    }

    private enum Admission<Refusal: Error>: Sendable {
        case refused(Refusal)
        case accepted(wake: EventLoopPromise<Void>?)
    }

    private let shards: [Shard]
    private let limits: DeviceLimits

    init(limits: DeviceLimits, shardCount: Int = 64) {
        self.limits = limits
        shards = (0..<shardCount).map { _ in Shard(rate: limits.rate) }
    }

    /// How many tokens there are.
    var count: Int {
        shards.reduce(0) { sum, shard in sum + shard.part.withLock { $0.devices.count } }
    }

    var counts: DeliveryCounts {
        shards.reduce(DeliveryCounts()) { sum, shard in sum + shard.part.withLock { $0.counts } }
    }

    func add(_ token: DeviceTokenKey, _ standing: Standing) {
        shard(of: token).part.withLock { $0.devices[token] = Device(standing) }
    }

    /// What is known of a token; nil: there is no such token.
    func standing(of token: DeviceTokenKey) -> Standing? {
        shard(of: token).part.withLock { $0.devices[token]?.standing }
    }

    /// The tokens of which that is true, in no order.
    func tokens(where isMeant: (Standing) -> Bool) -> [DeviceTokenKey] {
        shards.flatMap { shard in
            shard.part.withLock { part in part.devices.filter { isMeant($0.value.standing) }.map(\.key) }
        }
    }

    /// Changes what is known of a token, and drops what waits for it unless it is still good. False: there is no such
    /// token.
    func change(_ token: DeviceTokenKey, keepsWaiting: Bool, _ change: (inout Standing) -> Void) -> Bool {
        shard(of: token).part.withLock { part in
            part.devices[token]?.change(keepsWaiting: keepsWaiting, change) != nil
        }
    }

    /// When one device gets 429 from now on; nil: never.
    func setRate(_ rate: SimulatorQuota?) {
        for shard in shards { shard.part.withLock { $0.rate = rate } }
    }

    /// Pushes that the token took; nil: there is no such token.
    func accepted(by token: DeviceTokenKey) -> Int? {
        shard(of: token).part.withLock { $0.devices[token]?.accepted }
    }

    /// Takes a push for its device and hands it over, or throws why not: what `refusal` says of the device (nil: there
    /// is no such token), or `overrun` if it takes too many, given the seconds to wait.
    func accept<Refusal: Error>(
        for token: DeviceTokenKey,
        now: Date,
        refusal: (Standing?) -> Refusal?,
        overrun: (Int) -> Refusal,
        _ push: (_ standing: Standing, _ sequence: Int) -> Item
    ) throws(Refusal) {
        let admission: Admission<Refusal>? = shard(of: token).part.withLock { part in
            if let refusal = refusal(part.devices[token]?.standing) { return .refused(refusal) }
            if let pause = part.devices[token]?.pause(now: now, limit: part.rate) ?? nil {
                return .refused(overrun(pause))
            }
            let wake = part.devices[token]?.accept(now: now, limits: limits, counts: &part.counts, push)
            return .accepted(wake: wake ?? nil)
        }
        switch admission {
        case .refused(let refusal)?: throw refusal
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
    /// The device comes and listens; a stream or poll that it had ends. Nil: there is no such token.
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

    /// What waits beyond `sequence`; nil: there is no such token. With nothing there, `waiter` is told of the next push,
    /// or of another look; with something there it is not kept.
    ///
    /// - Parameter until: how long the device counts as there.
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

    /// What waits for a device of another process beyond `sequence`; with nothing there, it waits for the next push
    /// as long as it may. Nil: there is no such token.
    func poll(
        _ token: DeviceTokenKey,
        after sequence: Int,
        wait: Duration,
        on eventLoop: any EventLoop,
        clock: @Sendable () -> Date
    ) async throws -> [Item]? {
        let news = eventLoop.makePromise(of: Void.self)
        // Whatever becomes of the timer (it fires, is cancelled, or its loop ends), the promise is kept.
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

/// What became of accepted pushes.
struct DeliveryCounts: Sendable, Equatable {
    /// Handed to a device.
    var delivered = 0
    /// Kept for a device, for later or until it says that it has it.
    var kept = 0
    /// Of those, pushes whose place a newer one with the same collapse id took.
    var replaced = 0
    /// Lost: expired, not to be stored, crowded out, or more than a device took from its stream.
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
