import AsyncHTTPClient
import BelfryModel
import BelfryWire
import Foundation
import NIOCore

/// A linked device of a benchmark, with the ids and tokens for its calls.
struct BenchDevice: Sendable {
    let app: String
    let id: String
    let contactToken: String
    let clientState: String?

    /// The path of a device API call.
    func path(of call: String) -> String { "/v3/apps/\(app)/client/\(call)" }

    /// The headers of a call without a body.
    func bareHeaders(order: Date) -> [(name: String, value: String)] {
        var fields = [
            (name: HeaderNames.clientID, value: id), (name: HeaderNames.contactToken, value: contactToken),
            (name: HeaderNames.requestOrder, value: "\(order.milliseconds)"),
        ]
        if let clientState { fields.append((name: HeaderNames.clientState, value: clientState)) }
        return fields
    }

    /// The headers of a call with a JSON body, without `Content-Length`.
    func headers(order: Date) -> [(name: String, value: String)] {
        bareHeaders(order: order) + [(name: "Content-Type", value: "application/json")]
    }

    /// The beginning of a POST as HTTP/1.1 text. The length and the body must follow.
    ///
    /// - Parameter authority: `127.0.0.1:PORT`
    func head(of call: String, to authority: String, order: Date) -> String {
        var text = "POST \(path(of: call)) HTTP/1.1\r\nHost: \(authority)\r\n"
        for (name, value) in headers(order: order) { text += "\(name): \(value)\r\n" }
        return text
    }

    /// A whole GET as HTTP/1.1 text.
    ///
    /// - Parameter authority: `127.0.0.1:PORT`
    func fetch(of call: String, from authority: String, order: Date) -> String {
        var text = "GET \(path(of: call)) HTTP/1.1\r\nHost: \(authority)\r\n"
        for (name, value) in bareHeaders(order: order) { text += "\(name): \(value)\r\n" }
        return text + "\r\n"
    }

    /// A GET request.
    ///
    /// - Parameter server: `http://127.0.0.1:PORT`
    func get(_ call: String, at server: String, order: Date) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: server + path(of: call))
        for (name, value) in bareHeaders(order: order) { request.headers.add(name: name, value: value) }
        return request
    }

    /// A POST request with a JSON body.
    ///
    /// - Parameter server: `http://127.0.0.1:PORT`
    func post(_ body: ByteBuffer, to call: String, at server: String, order: Date) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: server + path(of: call))
        request.method = .POST
        for (name, value) in headers(order: order) { request.headers.add(name: name, value: value) }
        request.body = .bytes(body)
        return request
    }
}
