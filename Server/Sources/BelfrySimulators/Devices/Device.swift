import Foundation
import NIOCore

/// One device token: what it is good for, how its device is reached, and what waits for it.
struct Device<Standing: Sendable, Item: MailboxItem>: Sendable {
    /// What its service knows of it.
    private(set) var standing: Standing
    /// Pushes that were accepted.
    private(set) var accepted = 0
    private var rate = PushRate()
    private var mailbox = Mailbox<Item>()
    private var link = SimulatedDeviceLink<Item>.none

    init(_ standing: Standing) {
        self.standing = standing
    }

    /// What waits is dropped unless the token is still good.
    mutating func change(keepsWaiting: Bool, _ change: (inout Standing) -> Void) {
        change(&standing)
        if !keepsWaiting { mailbox.clear() }
    }

    /// Counts a push against the device's limit. Nil, or the seconds after which there is room for one again.
    mutating func pause(now: Date, limit: SimulatorQuota?) -> Int? {
        guard let limit, !rate.admit(now: now, limit: limit) else { return nil }
        return rate.pause(now: now, limit: limit)
    }

    /// Takes a push. Gives the poll to wake, if one waits; not under a lock.
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

    /// The device listens to a stream from now on. Gives the link that it had.
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

    /// The stream of that number has ended; a later one goes on.
    mutating func close(_ number: UInt64) {
        guard case .stream(number, _) = link else { return }
        leave()
    }

    /// Gives what waits beyond `sequence`, and the link that the device had. With nothing there, `waiter` is told of
    /// the next push.
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

    /// The service stops. Gives the link that the device had.
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
            // The device has just left its stream, so the push waits, or not, as for any device that is away.
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

/// The limits that a simulator sets for each of its devices.
struct DeviceLimits: Sendable {
    /// How many pushes wait for a device that is away.
    var stored: Int
    /// How many pushes a stream holds for a device that does not read.
    var streamBuffer: Int
    /// When one device gets 429, at the beginning.
    var rate: SimulatorQuota?

    init(stored: Int, streamBuffer: Int, rate: SimulatorQuota?) {
        self.stored = stored
        self.streamBuffer = max(streamBuffer, 1)
        self.rate = rate
    }
}

/// How a push reaches its device at once.
enum SimulatedDeviceLink<Item: MailboxItem>: Sendable {
    case none
    /// A stream in this process; the number tells it from the one that took its place.
    case stream(UInt64, AsyncStream<Item>.Continuation)
    /// A poll over HTTP that waits for news.
    case poll(EventLoopPromise<Void>)

    /// Ends it for another one. Not under a lock: it calls back.
    func end() {
        switch self {
        case .none: break
        case .stream(_, let continuation): continuation.finish()
        case .poll(let promise): promise.succeed(())
        }
    }
}
