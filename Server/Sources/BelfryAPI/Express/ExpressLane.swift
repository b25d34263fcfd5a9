import BelfryModel
import BelfryServices
import BelfryWire
import HTTPTypes
import NIOCore

/// The short way of what a server gets most: a device's events, in order and in one piece (PERF-3, PERF-4), its
/// registrations (PERF-5), its look into the message centres, and its question for new in-app messages (PERF-7).
///
/// It takes only what is ordinary: a known app, a token that counts, plain JSON without a fault, and no
/// more than an event loop reads in a moment, since its other connections wait so long. All else, and every refusal,
/// goes the long way through the router, which says what is wrong.
package final class ExpressLane: Sendable {
    /// A larger body goes the long way unread.
    static let maximumBodyBytes = 131_072
    /// A batch with more events goes the long way unchecked.
    static let maximumEvents = 500
    /// Reports of in-app messages in a batch, which take longer to read: with more it goes the long way.
    static let maximumReports = 20

    private let services: APIServices
    private let date = HTTPDateText()

    package init(services: APIServices) {
        self.services = services
    }

    /// What a request whose head was looked at asks for, and who asks.
    struct Ticket: Sendable {
        let call: ExpressCall
        let caller: AuthenticatedCaller
        /// Where it comes from, for the uploads that count.
        let network: IPAddress?
    }

    /// An answer, with or without a body.
    struct Answer: Sendable {
        let head: HTTPResponse
        var body: ByteBuffer?
    }

    /// Nil for a request that goes the long way.
    ///
    /// - Parameter peer: the other end of the connection.
    func ticket(for head: HTTPRequest, from peer: @autoclosure () -> IPAddress) -> Ticket? {
        guard let path = head.path, let (call, code) = ExpressCall.find(head.method, path),
            // What would make a full store grow is refused there.
            !call.hasBody || !services.storage.isLow,
            let fields = ExpressFields(head.headerFields, hasBody: call.hasBody), let app = services.apps.cached(code),
            let client = try? DeviceID(fields.clientID)
        else { return nil }
        let now = services.now()
        let caller = Caller(
            app: app, client: client, state: nil, token: fields.contactToken,
            order: .init(header: fields.order, now: now, maximumAhead: WireLimits.maximumClockAheadSeconds),
            clockOffset: .init(time: fields.time, order: fields.order, now: now)
        )
        // Counted last: what goes the long way is counted there (SEC-2).
        guard let caller = try? services.authentication.authenticate(caller),
            services.limits.grants(client, of: app, showing: caller.installation)
        else { return nil }
        let network =
            call.hasBody
            ? services.limits.network(peer: peer(), forwardedFor: head.headerFields[.forwardedFor]) : nil
        return Ticket(call: call, caller: caller, network: network)
    }

    /// For a request that goes the long way after all.
    func giveBack(_ ticket: Ticket) {
        services.limits.takeBack(
            ticket.caller.client, of: ticket.caller.app, showing: ticket.caller.installation
        )
    }

    /// Does what the request asks for.
    ///
    /// - Parameters:
    ///   - loop: where the answer is made and told: the writer's thread has no time for it.
    ///   - answer: nil when the request is to go the long way after all. A write that was refused has left nothing
    ///     behind.
    /// - Returns: false when the body is not taken; then `answer` is told nothing.
    func take(
        _ ticket: Ticket, _ body: ByteBuffer, on loop: any EventLoop, answer: @escaping @Sendable (Answer?) -> Void
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

    /// Nil, so that it goes the long way, for whatever was refused.
    private func fetched<Value>(
        _ result: Result<Answered<Value>?, any Error>, _ text: (Value) -> [UInt8]
    ) -> Answer? {
        guard let answered = try? result.get() else { return nil }
        return json(.ok, ByteBuffer(bytes: text(answered.value)), state: answered.clientState)
    }

    private func store(
        _ bytes: [UInt8], _ version: EventVersion, _ ticket: Ticket, _ loop: any EventLoop,
        _ answer: @escaping @Sendable (Answer?) -> Void
    ) -> Bool {
        let caller = ticket.caller
        guard let batch = try? EventBatch(bytes, client: caller.client, maximumEvents: Self.maximumEvents),
            (try? batch.answer(to: version)) == .some(nil),
            // To look for a message takes longer than all the rest.
            batch.isQuiet || !services.apps.overlays.mayAnswer(app: caller.app.id),
            batch.events.count(where: \.tellsOfInApp) <= Self.maximumReports
        else { return false }
        let meter = services.limits.meter(of: caller, from: ticket.network)
        let (size, count) = (bytes.count, batch.count)
        guard meter.grants(bytes: size, events: count) else { return false }
        services.events.store(batch.events, caller: caller) { result in
            let stored = try? result.get()
            // What goes the long way is counted there.
            if stored == nil { meter.takeBack(bytes: size, events: count) }
            answer(stored.map { Answer(head: self.head(.noContent, state: $0.clientState)) })
        } deliver: {
            loop.execute($0)
        }
        return true
    }

    private func register(
        _ bytes: [UInt8], _ ticket: Ticket, _ loop: any EventLoop,
        _ answer: @escaping @Sendable (Answer?) -> Void
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

    private func received(_ answered: Answered<RegistrationIntake.Receipt>) -> Answer {
        let receipt = answered.value
        // As the encoder of the long way writes it; a UUID has nothing to escape.
        let text = #"{"registrationId":"\#(receipt.registrationID)","revision":\#(receipt.revision),"#
        return json(.created, ByteBuffer(string: text + #""status":"received"}"#), state: answered.clientState)
    }

    private func json(_ status: HTTPResponse.Status, _ body: ByteBuffer, state: String) -> Answer {
        var head = head(status, state: state)
        head.headerFields[.contentType] = "application/json"
        head.headerFields[.contentLength] = String(body.readableBytes)
        return Answer(head: head, body: body)
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
