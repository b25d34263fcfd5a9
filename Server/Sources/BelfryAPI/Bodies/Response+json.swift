import BelfryServices
import Foundation
import Hummingbird

extension JSONEncoder {
    /// Keys are sorted, so that equal responses are equal texts.
    static var responses: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}

extension Response {
    /// A response with a JSON body that begins with `{` and leaves absent values out (v3 clients need both).
    static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        json(bytes: Array(try JSONEncoder.responses.encode(value)), status: status)
    }

    /// A response with a JSON body that is already encoded.
    static func json(bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        )
    }

    /// A response with a JSON body that is written piece by piece.
    static func json(streaming body: ResponseBody, status: HTTPResponse.Status = .ok) -> Response {
        Response(status: status, headers: [.contentType: "application/json"], body: body)
    }

    /// Adds the client state that the device stores and sends back (WIRE-20).
    func carrying<Value>(stateOf answered: DeviceCallResult<Value>) -> Response {
        var response = self
        response.headers[.clientState] = answered.clientState
        return response
    }
}
