import BelfryTestSupport
import Foundation

@testable import Belfry

/// What a scenario's server does with a request, instead of accepting it.
struct ScenarioResponse: Sendable {
    enum Fault: String, Sendable {
        case lost
        case answerLost
        case hang
    }

    /// `POST /client/events`
    let on: String
    /// Only for uploads that hold an event with this name.
    let ifEvent: String?
    /// For how many requests; nil: for all.
    var times: Int?
    let fault: Fault?
    let status: Int
    /// The name of an error, a JSON or a text; without one of them a success has its usual body.
    let error: String?
    let json: JSONValue?
    let text: String?
    /// The names of the events that the response rejects alone.
    let rejects: Set<String>
    let headers: [String: String]
    /// Something between the device and the server responds, such as a proxy.
    let isFromIntermediary: Bool

    init(_ value: JSONValue) throws(ScenarioError) {
        var fields = try Fields(value, "an answer")
        on = try fields.text("on")
        ifEvent = fields.take("ifEvent")?.text
        switch fields.take("times") {
        case .string("always"): times = nil
        case .number(let number) where number >= 1: times = Int(number)
        case nil: times = 1
        case let other?: throw ScenarioError("\(on): 'times' is \(other)")
        }
        let fault = fields.take("fault")?.text
        self.fault = fault.flatMap { Fault(rawValue: $0) }
        guard fault == nil || self.fault != nil else { throw ScenarioError("\(on): unknown fault") }
        let status = fields.take("status")?.number
        guard (status == nil) == (fault != nil) else { throw ScenarioError("\(on): it needs a status or a fault") }
        self.status = Int(status ?? 0)
        error = fields.take("error")?.text
        json = fields.take("json")
        text = fields.take("text")?.text
        rejects = Set(try fields.optionalTexts("rejects") ?? [])
        headers = (fields.take("headers")?.object ?? [:]).compactMapValues(\.text)
        isFromIntermediary = fields.take("intermediary")?.bool ?? false
        try fields.finish()
    }

    /// - Parameters:
    ///   - sent: the body of the request.
    ///   - usual: the body of the server's acceptance.
    func body(sent: JSONValue, usual: JSONValue?) throws -> Data {
        if let text { return Data(text.utf8) }
        if !rejects.isEmpty { return try JSONEncoder().encode(rejection(of: sent)) }
        if let json { return try JSONEncoder().encode(json.filled(from: sent)) }
        if let error {
            let detail: JSONValue = .object(["code": .string(error), "message": .string("The scenario says so.")])
            return try JSONEncoder().encode(JSONValue.object(["error": detail]))
        }
        guard status < 400, !isFromIntermediary, let usual else { return Data() }
        return try JSONEncoder().encode(usual)
    }
}

extension ScenarioResponse {
    func fits(_ request: ScenarioRequest) -> Bool {
        ifEvent.map { name in request.events.contains { $0["name"] == .string(name) } } ?? true
    }

    private func rejection(of sent: JSONValue) -> JSONValue {
        let rejected = (sent["events"]?.array ?? []).enumerated().compactMap { index, event -> JSONValue? in
            guard let name = event["name"]?.text, rejects.contains(name) else { return nil }
            return .object([
                "index": .number(Double(index)), "id": event["id"] ?? .null, "reason": .string("The scenario says so."),
            ])
        }
        return .object(["rejected": .array(rejected)])
    }
}

extension JSONValue {
    /// `"$sent.revision"` becomes the value of that key in the request's body.
    fileprivate func filled(from sent: JSONValue) -> JSONValue {
        switch self {
        case .string(let text) where text.hasPrefix("$sent."):
            text.dropFirst(6).split(separator: ".").reduce(sent) { $0[String($1)] ?? .null }
        case .array(let elements): .array(elements.map { $0.filled(from: sent) })
        case .object(let object): .object(object.mapValues { $0.filled(from: sent) })
        case .null, .boolean, .number, .string: self
        }
    }
}
