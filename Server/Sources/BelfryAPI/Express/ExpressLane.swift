import BelfryModel
import BelfryServices
import BelfryWire
import Foundation
import HTTPTypes
import NIOCore

/// The short way for the most frequent requests: a device's events (PERF-3, PERF-4), its registrations (PERF-5), its
/// fetches of message centers, and its syncs of in-app messages (PERF-7).
///
/// It handles only ordinary requests: a known app, a valid token, plain JSON without an error, and no more than an
/// event loop can read without delaying its other connections. All other requests, and every error, go to the router
/// (the long way), which responds with what is wrong.
package final class ExpressLane: Sendable {
    /// A larger body goes to the router without being read.
    static let maximumBodyBytes = 131_072
    /// A batch with more events goes to the router.
    static let maximumEvents = 500
    /// Reports about in-app messages take longer to read: a batch with more of them goes to the router.
    static let maximumReports = 20

    private let services: APIServices
    private let date = HTTPDateText()
    let meters: ExpressMeters

    package init(services: APIServices) {
        self.services = services
        meters = ExpressMeters(metrics: services.metrics, now: services.now)
    }

    /// The operation and the caller of a request, from its head.
    struct Ticket: Sendable {
        let call: ExpressCall
        let caller: AuthenticatedCaller
        /// How the call is counted.
        let kind: RequestLimits.CallKind
        /// The caller's network; nil when its uploads are not counted.
        let network: IPAddress?
        /// When its head came.
        let begin: Date
    }

    /// A response, with or without a body.
    struct ExpressReply: Sendable {
        let head: HTTPResponse
        var body: ByteBuffer?
    }

    /// Nil for a request that goes to the router.
    ///
    /// - Parameter peer: the other end of the connection.
    func ticket(for head: HTTPRequest, from peer: @autoclosure () -> IPAddress) -> Ticket? {
        guard let path = head.path, let (call, code) = ExpressCall.find(head.method, path),
            // The router rejects requests that would make a full store grow.
            !call.hasBody || !services.storage.isLow,
            let fields = ExpressFields(head.headerFields, hasBody: call.hasBody), let app = services.apps.cached(code),
            let client = try? DeviceID(fields.clientID)
        else { return nil }
        let now = services.now()
        var caller = Caller(
            app: app, client: client, state: nil, token: fields.contactToken,
            order: .init(header: fields.order, now: now, maximumAhead: WireLimits.maximumClockAheadSeconds),
            clockOffset: .init(time: fields.time, order: fields.order, now: now)
        )
        caller.v3 = V3Caller(version: fields.v3Version, mode: fields.v3Mode)
        let kind = caller.kind(of: call)
        // Counted last, because the router counts its own requests (SEC-2).
        guard let caller = try? services.authentication.authenticate(caller),
            services.limits.grants(client, of: app, showing: caller.installation, as: kind)
        else { return nil }
        let network =
            call.hasBody
            ? services.limits.network(peer: peer(), forwardedFor: head.headerFields[.forwardedFor]) : nil
        return Ticket(call: call, caller: caller, kind: kind, network: network, begin: now)
    }

    /// Takes back the count of a request that goes to the router after all.
    func giveBack(_ ticket: Ticket) {
        services.limits.takeBack(
            ticket.caller.client, of: ticket.caller.app, showing: ticket.caller.installation, as: ticket.kind
        )
    }

    /// Performs the operation of a request.
    ///
    /// - Parameters:
    ///   - loop: the event loop that calls `answer`, so that the writer's thread is not delayed.
    ///   - answer: gets nil when the request must go to the router after all. A rejected write has changed nothing.
    /// - Returns: false when the body goes to the router; then `answer` is not called.
    func take(
        _ ticket: Ticket, _ body: ByteBuffer, on loop: any EventLoop,
        answer: @escaping @Sendable (ExpressReply?) -> Void
    ) -> Bool {
        let bytes = Array(body.readableBytesView)
        switch ticket.call {
        case .events(let version): return store(bytes, version, ticket, loop, answer)
        case .registration: return register(bytes, ticket, loop, answer)
        case .messages(let center):
            guard bytes.isEmpty else { return false }
            services.inbox.messages(in: center, for: ticket.caller) { result in
                let answered = self.fetched(result, InboxText.messages)
                loop.execute { answer(answered) }
            }
            return true
        case .messageCenters:
            guard bytes.isEmpty else { return false }
            services.inbox.centers(for: ticket.caller) { result in
                let answered = self.fetched(result, InboxText.centers)
                loop.execute { answer(answered) }
            }
            return true
        case .inAppMessages(let cursor):
            guard bytes.isEmpty else { return false }
            services.inApp.sync(since: cursor, for: ticket.caller) { result in
                let answered = self.fetched(result) { InAppText.unchanged($0.cursor) }
                loop.execute { answer(answered) }
            }
            return true
        }
    }

    /// Nil for any error, so that the request goes to the router.
    private func fetched<Value>(
        _ result: Result<DeviceCallResult<Value>?, any Error>, _ text: (Value) -> [UInt8]
    ) -> ExpressReply? {
        guard let answered = try? result.get() else { return nil }
        return json(.ok, ByteBuffer(bytes: text(answered.value)), state: answered.clientState)
    }

    private func store(
        _ bytes: [UInt8], _ version: EventVersion, _ ticket: Ticket, _ loop: any EventLoop,
        _ answer: @escaping @Sendable (ExpressReply?) -> Void
    ) -> Bool {
        let caller = ticket.caller
        guard let batch = try? IncomingEventBatch(bytes, client: caller.client, maximumEvents: Self.maximumEvents),
            (try? batch.answer(to: version)) == .some(nil),
            // Looking for an in-app message takes longer than everything else.
            batch.isQuiet || !services.apps.v3InAppMessages.mayAnswer(app: caller.app.id),
            batch.events.count(where: \.isInAppReport) <= Self.maximumReports
        else { return false }
        let meter = services.limits.meter(of: caller, from: ticket.network)
        let (size, count) = (bytes.count, batch.count)
        guard meter.grants(bytes: size, events: count) else { return false }
        services.events.store(batch.events, caller: caller) { result in
            let stored = try? result.get()
            // If it goes to the router, it is counted there.
            if stored == nil { meter.takeBack(bytes: size, events: count) }
            answer(stored.map { ExpressReply(head: self.head(.noContent, state: $0.clientState)) })
        } deliver: {
            loop.execute($0)
        }
        return true
    }

    private func register(
        _ bytes: [UInt8], _ ticket: Ticket, _ loop: any EventLoop,
        _ answer: @escaping @Sendable (ExpressReply?) -> Void
    ) -> Bool {
        let caller = ticket.caller
        guard let scan = SnapshotScan(bytes),
            let snapshot = try? IncomingSnapshot(
                deviceID: scan.deviceID ?? "", registrationID: scan.registrationID ?? "", revision: scan.revision ?? 0,
                text: String(decoding: bytes, as: UTF8.self), caller: caller
            )
        else { return false }
        let meter = services.limits.meter(of: caller, from: ticket.network)
        let size = bytes.count
        guard meter.grants(bytes: size, events: 0) else { return false }
        services.registrations.receive(snapshot, caller: caller) { result in
            let received = try? result.get()
            if received == nil { meter.takeBack(bytes: size, events: 0) }
            answer(received.map(self.received))
        } deliver: {
            loop.execute($0)
        }
        return true
    }

    private func received(_ answered: DeviceCallResult<RegistrationIngestion.Receipt>) -> ExpressReply {
        let receipt = answered.value
        // The same text as the router's encoder writes; a UUID needs no escapes.
        var text = JSONWriter()
        text.literal("{")
        if let newest = receipt.newest {
            text.member(registration: newest)
            text.literal(",")
        }
        text.literal(#""registrationId":""#)
        text.raw(receipt.registrationID)
        text.literal(#"","revision":"#)
        text.integer(receipt.revision)
        text.literal(#","status":""#)
        text.raw(receipt.status.rawValue)
        text.literal(#""}"#)
        return json(.created, ByteBuffer(bytes: text.bytes), state: answered.clientState)
    }

    private func json(_ status: HTTPResponse.Status, _ body: ByteBuffer, state: String) -> ExpressReply {
        var head = head(status, state: state)
        head.headerFields[.contentType] = "application/json"
        head.headerFields[.contentLength] = String(body.readableBytes)
        return ExpressReply(head: head, body: body)
    }

    private func head(_ status: HTTPResponse.Status, state: String) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headerFields: [
                .clientState: state, .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
                .date: date.text(services.now()),
            ]
        )
    }
}
