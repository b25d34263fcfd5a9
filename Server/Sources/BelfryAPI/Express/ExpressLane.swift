import BelfryModel
import BelfryServices
import BelfryWire
import HTTPTypes
import NIOCore

/// The short way of what a server gets most: a device's events, in order and in one piece (PERF-3, PERF-4).
///
/// It takes only what is ordinary: a known app, a token that was seen a moment ago, plain JSON without a fault. All
/// else, and every refusal, goes the long way through the router, which says what is wrong.
package struct ExpressLane: Sendable {
    let maximumBodyBytes = WireLimits.maximumBodyBytes

    private let services: APIServices
    private let date = HTTPDateText()

    package init(services: APIServices) {
        self.services = services
    }

    /// What a request whose head was looked at asks for, and who asks.
    struct Ticket: Sendable {
        let call: ExpressCall
        let caller: AuthenticatedCaller
    }

    /// An answer, with or without a body.
    struct Answer: Sendable {
        let head: HTTPResponse
        var body: ByteBuffer?
    }

    /// Nil for a request that goes the long way.
    func ticket(for head: HTTPRequest) -> Ticket? {
        guard head.method == .post, let path = head.path, let (call, code) = ExpressCall.find(path),
            let fields = ExpressFields(head.headerFields), let app = services.apps.cached(code),
            let client = try? DeviceID(fields.clientID)
        else { return nil }
        let now = services.now()
        let caller = Caller(
            app: app, client: client, state: nil, token: fields.contactToken,
            order: .init(header: fields.order, now: now, maximumAhead: WireLimits.maximumClockAheadSeconds),
            clockOffset: .init(header: fields.order, now: now)
        )
        // Counted last: what goes the long way is counted there.
        guard let caller = try? services.authentication.authenticate(caller),
            (try? services.limits.admit(client, of: app)) != nil
        else { return nil }
        return Ticket(call: call, caller: caller)
    }

    /// Does what the request asks for.
    ///
    /// - Parameter answer: told on another thread; nil when the request is to go the long way after all. A write that
    ///   was refused has left nothing behind.
    /// - Returns: false when the body is not taken; then `answer` is told nothing.
    func take(_ ticket: Ticket, _ body: ByteBuffer, answer: @escaping @Sendable (Answer?) -> Void) -> Bool {
        let bytes = Array(body.readableBytesView)
        switch ticket.call {
        case .events(let version): return store(bytes, version, ticket.caller, answer)
        case .registration: return register(bytes, ticket.caller, answer)
        }
    }

    private func store(
        _ bytes: [UInt8], _ version: EventVersion, _ caller: AuthenticatedCaller,
        _ answer: @escaping @Sendable (Answer?) -> Void
    ) -> Bool {
        guard let batch = try? EventBatch(bytes, client: caller.client), (try? batch.answer(to: version)) == .some(nil)
        else { return false }
        services.events.store(batch.events, caller: caller) { result in
            answer((try? result.get()).map { Answer(head: head(.noContent, state: $0.clientState)) })
        }
        return true
    }

    private func register(
        _ bytes: [UInt8], _ caller: AuthenticatedCaller, _ answer: @escaping @Sendable (Answer?) -> Void
    ) -> Bool {
        guard let scan = SnapshotScan(bytes),
            let snapshot = try? IncomingSnapshot(
                deviceID: scan.deviceID ?? "", registrationID: scan.registrationID ?? "", revision: scan.revision ?? 0,
                text: String(decoding: bytes, as: UTF8.self), caller: caller
            )
        else { return false }
        services.registrations.receive(snapshot, caller: caller) { result in
            answer((try? result.get()).map(received))
        }
        return true
    }

    private func received(_ answered: Answered<RegistrationIntake.Receipt>) -> Answer {
        let receipt = answered.value
        // As the encoder of the long way writes it; a UUID has nothing to escape.
        let text = #"{"registrationId":"\#(receipt.registrationID)","revision":\#(receipt.revision),"#
        let body = ByteBuffer(string: text + #""status":"received"}"#)
        var head = head(.created, state: answered.clientState)
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
