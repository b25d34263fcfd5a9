import BelfryTestSupport
import Foundation

@testable import Belfry

/// The server and the network of a scenario. It accepts everything, unless an answer of the scenario is next.
actor ScenarioServer: Transport {
    enum Failure: Error {
        case noNetwork
        case died
    }

    private let clock: ScenarioClock
    private(set) var requests: [ScenarioRequest] = []
    /// The events that are stored, in order.
    private(set) var stored: [JSONValue] = []
    private var storedIDs: Set<JSONValue> = []
    private var answers: [String: [ScenarioResponse]] = [:]
    private var messages: JSONValue = .array([])
    private var badge: JSONValue = .object(["count": .number(0), "revision": .number(0)])
    private var inApp = ScenarioInApp()
    private var isOffline = false
    /// Responses, and contact tokens.
    private var responses = 0
    private var tokens = 0
    /// The request that hangs, and what ends its wait.
    private var held: (name: String, signal: LoopSignal)?
    /// The app's process.
    private var isAlive = false
    private var onHang: (@Sendable () -> Void)?

    init(clock: ScenarioClock) {
        self.clock = clock
    }

    var isHanging: Bool { held != nil }

    /// The request that hangs gets its response.
    func respond() throws {
        guard let held else { throw ScenarioError("no request hangs") }
        self.held = nil
        held.signal.wake()
    }

    /// Runs once, when the next request hangs.
    func whenHanging(_ body: @escaping @Sendable () -> Void) {
        onHang = body
    }

    func set(isAlive: Bool) {
        self.isAlive = isAlive
    }

    func set(isOffline: Bool) {
        self.isOffline = isOffline
    }

    func set(messages: JSONValue) {
        self.messages = messages
    }

    func set(badge: JSONValue) {
        self.badge = badge
    }

    func set(inApp: ScenarioInApp) {
        self.inApp.become(inApp)
    }

    /// An answer for all requests ends with the next one for the same kind.
    func add(_ answer: ScenarioResponse) {
        answers[answer.on, default: []].removeAll { $0.times == nil }
        answers[answer.on, default: []].append(answer)
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let number = requests.count
        requests.append(try ScenarioRequest(request, at: clock.passed))
        requests[number].isUntimely = !isAlive || requests[number].name == held?.name
        if isOffline { throw Failure.noNetwork }
        let answer = nextResponse(to: requests[number])
        if answer?.fault == .lost { throw Failure.noNetwork }
        requests[number].hasArrived = true
        let response = try respond(to: number, answer)
        requests[number].isAccepted = answer.map { $0.fault != nil || $0.status < 300 } ?? true
        if requests[number].isAccepted { try store(number, response) }
        switch answer?.fault {
        case .answerLost: throw Failure.noNetwork
        case .hang: try await hang(requests[number].name)
        case .lost, nil: break
        }
        requests[number].state = response.header("X-Client-State")
        requests[number].contactToken = Self.json(response.body)?["contactToken"]?.text
        requests[number].isErased = response.status == 410 && answer?.error == "erased"
        return response
    }

    private static func json(_ body: Data) -> JSONValue? {
        try? JSONDecoder().decode(JSONValue.self, from: body)
    }

    private func nextResponse(to request: ScenarioRequest) -> ScenarioResponse? {
        guard var waiting = answers[request.name], let place = waiting.firstIndex(where: { $0.fits(request) }) else {
            return nil
        }
        let answer = waiting[place]
        guard let times = answer.times else { return answer }
        waiting[place].times = times - 1
        if times <= 1 { waiting.remove(at: place) }
        answers[request.name] = waiting
        return answer
    }

    /// Ends with ``respond()``, or with the process that waits for the response.
    private func hang(_ name: String) async throws {
        let signal = LoopSignal()
        held = (name, signal)
        onHang?()
        onHang = nil
        await signal.wait(past: 0)
        guard Task.isCancelled else { return }
        held = nil
        throw Failure.died
    }

    private func store(_ number: Int, _ response: TransportResponse) throws {
        let rejected = Self.json(response.body)?["rejected"]?.array ?? []
        requests[number].rejected = Set(rejected.compactMap { $0["index"]?.number }.map { Int($0) })
        for (index, event) in requests[number].events.enumerated() where !requests[number].rejected.contains(index) {
            if storedIDs.insert(event["id"] ?? .null).inserted { stored.append(event) }
        }
    }
}

// Responses.
extension ScenarioServer {
    private func respond(to number: Int, _ answer: ScenarioResponse?) throws -> TransportResponse {
        let request = requests[number]
        let isUsual = answer.map { $0.fault != nil || ($0.status < 400 && $0.json == nil && $0.text == nil) } ?? true
        var (status, usual): (Int, JSONValue?) = isUsual ? accepted(request) : (0, nil)
        var headers: [String: String] = [:]
        var body = try usual.map { try JSONEncoder().encode($0) } ?? Data()
        if let answer, answer.fault == nil {
            status = answer.status
            headers = answer.headers
            body = try answer.body(sent: request.body, usual: usual)
        }
        if answer?.isFromIntermediary != true {
            responses += 1
            headers["X-Client-State"] = "state-\(responses)"
            headers["Date"] = FakeServer.httpDate(clock.serverNow)
        }
        return TransportResponse(status: status, headers: headers, body: body)
    }

    /// The acceptance of a request.
    private func accepted(_ request: ScenarioRequest) -> (status: Int, body: JSONValue?) {
        switch request.name {
        case ScenarioRequest.properties, ScenarioRequest.events, "PUT /client/push-token", "DELETE /client/push-token":
            return (204, nil)
        case ScenarioRequest.link:
            tokens += 1
            let digits = String(tokens)
            let tag = "tag-" + String(repeating: "0", count: max(0, 8 - digits.count)) + digits
            let body: [String: JSONValue] = [
                "contactToken": .string("token-\(tokens)"), "refreshToken": .string("refresh-\(tokens)"),
                "contactReference": .string("\(tag).reference-\(tokens)"),
            ]
            return (200, .object(body))
        case ScenarioRequest.refresh:
            tokens += 1
            return (200, .object(["contactToken": .string("token-\(tokens)")]))
        case ScenarioRequest.registration:
            let sent = request.body
            let body: [String: JSONValue] = [
                "registrationId": sent["registrationId"] ?? .null, "revision": sent["revision"] ?? .null,
                "status": .string("received"),
            ]
            return (201, .object(body))
        case "GET /client/badge", "PUT /client/badge": return (200, badge)
        case "GET /client/in-app-messages": return (200, inApp.sync(since: request.query["since"]))
        default:
            return acceptedForCenters(request.name)
        }
    }

    private func acceptedForCenters(_ name: String) -> (status: Int, body: JSONValue?) {
        let parts = name.split(separator: "/")
        switch (name, parts.first, parts.last) {
        case ("GET /client/message-centers", _, _):
            let primary: [String: JSONValue] = [
                "name": .string("Primary"), "label": .string("Inbox"), "messages": messages,
            ]
            return (200, .object(["messageCenters": .array([.object(primary)]), "badge": badge]))
        case (_, "GET ", "messages"): return (200, .object(["messages": messages]))
        case (_, "PUT ", "state"): return (204, nil)
        case (_, "GET ", "rich-content"):
            let id = String(parts[3])
            return (200, .object(["id": .string(id), "html": .string("<p>\(id)</p>")]))
        case (_, "PUT ", "confirmation"): return (204, nil)
        case ("GET /client/web-push-key", _, _): return (200, .object(["publicKey": .string(Self.webPushKey)]))
        default:
            let detail: [String: JSONValue] = [
                "code": .string("notFound"), "message": .string("The scenario has no such path."),
            ]
            return (404, .object(["error": .object(detail)]))
        }
    }

    private static let webPushKey =
        "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM"
}
