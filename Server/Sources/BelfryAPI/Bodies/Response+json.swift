import BelfryServices
import Foundation
import Hummingbird

extension Response {
    /// An answer with a JSON body: it begins with `{`, and absent values are left out (v3 clients need both).
    static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let body = ByteBuffer(bytes: try encoder.encode(value))
        return Response(
            status: status, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: body)
        )
    }

    /// Adds the client state that the device stores and sends back (WIRE-20).
    func carrying<Value>(stateOf answered: Answered<Value>) -> Response {
        var response = self
        response.headers[.clientState] = answered.clientState
        return response
    }
}
