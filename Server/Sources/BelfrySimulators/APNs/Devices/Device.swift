import Foundation
import NIOCore

/// One device token: what it is good for, how its device is reached, and what waits for it.
struct Device: Sendable {
    /// What an arriving push led to.
    enum Admission: Sendable {
        case refused(APNsRefusal)
        /// The poll to wake, if one waits. Not under a lock.
        case accepted(wake: EventLoopPromise<Void>?)
    }

    /// The limits that a simulator sets for each of its devices.
    struct Limits: Sendable {
        var stored: Int
        var streamBuffer: Int
        var rate: APNsSimulator.TokenRateLimit?
    }

    let topic: String
    let environment: APNsSimulator.Environment
    private(set) var state = APNsSimulator.TokenState.valid
    /// Pushes that were accepted.
    private(set) var accepted = 0
    private var rate = PushRate()
    private var mailbox = Mailbox()
    private var link = DeviceLink.none

    init(topic: String, environment: APNsSimulator.Environment) {
        self.topic = topic
        self.environment = environment
    }

    mutating func setState(_ new: APNsSimulator.TokenState) {
        state = new
        if new != .valid { mailbox.clear() }
    }

    mutating func admit(
        _ push: APNsPush,
        apnsID: String,
        at service: APNsSimulator.Environment,
        now: Date,
        limits: Limits,
        counts: inout DeliveryCounts
    ) -> Admission {
        let standing = DeviceStanding(topic: topic, environment: environment, state: state)
        if let refusal = APNsRequestCheck.refusal(of: push, at: service, by: standing) { return .refused(refusal) }
        guard rate.admit(now: now, limit: limits.rate) else { return .refused(APNsRefusal(.tooManyRequests)) }
        accepted += 1
        let notification = SimulatedNotification(
            push,
            sequence: mailbox.nextSequence(),
            apnsID: apnsID,
            environment: environment,
            acceptedAt: now
        )
        return .accepted(wake: deliver(notification, now: now, limits: limits, counts: &counts))
    }

    /// The device listens to a stream from now on. Gives the link that it had.
    mutating func open(
        _ number: UInt64,
        _ continuation: AsyncStream<SimulatedNotification>.Continuation,
        now: Date,
        counts: inout DeliveryCounts
    ) -> DeviceLink {
        let previous = link
        link = .stream(number, continuation)
        for notification in mailbox.open(now: now) {
            continuation.yield(notification)
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
    ) -> (waiting: [SimulatedNotification], previous: DeviceLink) {
        let previous = link
        counts.delivered += mailbox.acknowledge(upTo: sequence, now: now, until: until)
        link = .none
        if let waiter, mailbox.waiting.isEmpty { link = .poll(waiter) }
        return (mailbox.waiting, previous)
    }

    /// The service stops. Gives the link that the device had.
    mutating func disconnect() -> DeviceLink {
        let previous = link
        leave()
        return previous
    }

    private mutating func leave() {
        link = .none
        mailbox.presence = .away
    }

    private mutating func deliver(
        _ notification: SimulatedNotification,
        now: Date,
        limits: Limits,
        counts: inout DeliveryCounts
    ) -> EventLoopPromise<Void>? {
        switch mailbox.post(notification, now: now, limit: limits.stored) {
        case .handOver:
            if hand(notification, counts: &counts) { return nil }
            // The device has just left its stream, so the push waits, or not, as for any device that is away.
            leave()
            return deliver(notification, now: now, limits: limits, counts: &counts)
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
    private func hand(_ notification: SimulatedNotification, counts: inout DeliveryCounts) -> Bool {
        guard case .stream(_, let continuation) = link else { return false }
        let result = continuation.yield(notification)
        if case .terminated = result { return false }
        if case .dropped = result { counts.discarded += 1 } else { counts.delivered += 1 }
        return true
    }
}
