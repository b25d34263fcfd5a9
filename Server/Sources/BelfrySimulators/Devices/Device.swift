import Foundation
import NIOCore

/// One device token: its state, how its device is reached, and the pushes that wait for it.
struct Device<Standing: Sendable, Item: MailboxItem>: Sendable {
    /// The service's knowledge of the token.
    private(set) var standing: Standing
    /// The number of accepted pushes.
    private(set) var accepted = 0
    private var rate = PushRate()
    private var mailbox = Mailbox<Item>()
    private var link = SimulatedDeviceLink<Item>.none

    init(_ standing: Standing) {
        self.standing = standing
    }

    /// Changes the token's state. Waiting pushes are dropped unless the token is still valid.
    mutating func change(keepsWaiting: Bool, _ change: (inout Standing) -> Void) {
        change(&standing)
        if !keepsWaiting { mailbox.clear() }
    }

    /// Counts a push against the device's limit. Nil if it is accepted; otherwise the seconds until the next one may
    /// be.
    mutating func pause(now: Date, limit: SimulatorQuota?) -> Int? {
        guard let limit, !rate.admit(now: now, limit: limit) else { return nil }
        return rate.pause(now: now, limit: limit)
    }

    /// Accepts a push. Returns the poll to wake, if one waits; the caller must wake it without holding a lock.
    mutating func accept(
        now: Date,
        limits: DeviceLimits,
        counts: inout DeliveryCounts,
        _ push: (_ standing: Standing, _ sequence: Int) -> Item
    ) -> EventLoopPromise<Void>? {
        accepted += 1
        let item = push(standing, mailbox.nextSequence())
        return deliver(item, now: now, limits: limits, counts: &counts)
    }

    /// The device begins to listen to a stream. Returns its previous link.
    mutating func open(
        _ number: UInt64,
        _ continuation: AsyncStream<Item>.Continuation,
        now: Date,
        counts: inout DeliveryCounts
    ) -> SimulatedDeviceLink<Item> {
        let previous = link
        link = .stream(number, continuation)
        for item in mailbox.open(now: now) {
            continuation.yield(item)
            counts.delivered += 1
        }
        return previous
    }

    /// The stream with this number has ended; a later one is not affected.
    mutating func close(_ number: UInt64) {
        guard case .stream(number, _) = link else { return }
        leave()
    }

    /// Returns the pushes beyond `sequence`, and the device's previous link. If there are none, the next push completes
    /// `waiter`.
    mutating func poll(
        after sequence: Int,
        now: Date,
        until: Date,
        waiter: EventLoopPromise<Void>?,
        counts: inout DeliveryCounts
    ) -> (waiting: [Item], previous: SimulatedDeviceLink<Item>) {
        let previous = link
        counts.delivered += mailbox.acknowledge(upTo: sequence, now: now, until: until)
        link = .none
        if let waiter, mailbox.waiting.isEmpty { link = .poll(waiter) }
        return (mailbox.waiting, previous)
    }

    /// Ends the link when the service stops, and returns it.
    mutating func disconnect() -> SimulatedDeviceLink<Item> {
        let previous = link
        leave()
        return previous
    }

    private mutating func leave() {
        link = .none
        mailbox.presence = .away
    }

    private mutating func deliver(
        _ item: Item,
        now: Date,
        limits: DeviceLimits,
        counts: inout DeliveryCounts
    ) -> EventLoopPromise<Void>? {
        switch mailbox.post(item, now: now, limit: limits.stored) {
        case .handOver:
            if hand(item, counts: &counts) { return nil }
            // The device has just left its stream, so the push is stored, or not, as for any offline device.
            leave()
            return deliver(item, now: now, limits: limits, counts: &counts)
        case .kept(let replaced, let displaced):
            counts.kept += 1
            counts.replaced += replaced ? 1 : 0
            counts.discarded += displaced ? 1 : 0
            guard case .poll(let waiter) = link else { return nil }
            link = .none
            return waiter
        case .discarded:
            counts.discarded += 1
            return nil
        }
    }

    /// False: nobody listens any more.
    private func hand(_ item: Item, counts: inout DeliveryCounts) -> Bool {
        guard case .stream(_, let continuation) = link else { return false }
        let result = continuation.yield(item)
        if case .terminated = result { return false }
        if case .dropped = result { counts.discarded += 1 } else { counts.delivered += 1 }
        return true
    }
}

/// The limits of each device of a simulator.
struct DeviceLimits: Sendable {
    /// The maximum number of pushes that wait for an offline device.
    var stored: Int
    /// The maximum number of pushes in the stream of a device that does not read.
    var streamBuffer: Int
    /// The initial limit beyond which one device gets 429.
    var rate: SimulatorQuota?

    init(stored: Int, streamBuffer: Int, rate: SimulatorQuota?) {
        self.stored = stored
        self.streamBuffer = max(streamBuffer, 1)
        self.rate = rate
    }
}

/// The way in which a push reaches an online device.
enum SimulatedDeviceLink<Item: MailboxItem>: Sendable {
    case none
    /// A stream in this process. The number distinguishes it from a later one.
    case stream(UInt64, AsyncStream<Item>.Continuation)
    /// A poll over HTTP that waits for pushes.
    case poll(EventLoopPromise<Void>)

    /// Ends the link in favor of another. It calls back, so it must not be called under a lock.
    func end() {
        switch self {
        case .none: break
        case .stream(_, let continuation): continuation.finish()
        case .poll(let promise): promise.succeed(())
        }
    }
}
