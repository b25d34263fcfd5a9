import AsyncHTTPClient
import BelfryAPI
import BelfryModel
import BelfryWire
import Foundation
import NIOCore

extension AdminClient {
    /// Reads a response in chunks, however long it is.
    ///
    /// - Parameter write: receives the chunks of a successful response, in order.
    /// - Returns: the number of bytes.
    func download<Response: Sendable>(
        _ route: AdminRoute<NoBody, Response>, _ parts: String..., write: (Data) throws -> Void
    ) async throws -> Int {
        var request = HTTPClientRequest(url: server + route.address(parts.map(\.pathSegment)))
        request.method = .RAW(value: route.method)
        request.headers.add(name: "Authorization", value: "Bearer \(key.text)")
        request.headers.add(name: "Accept-Encoding", value: "identity")
        // Nothing is written before there is a response, so the request may be sent twice.
        let response = try await Self.inTwoAttempts(server: server, isWrite: false) {
            [request] () async throws -> HTTPClientResponse in
            do {
                return try await http.execute(request, timeout: Self.timeout)
            } catch {
                try Task.checkCancellation()
                throw NoResponse(error)
            }
        }
        guard (200..<300).contains(response.status.code) else { throw try await error(response) }
        var count = 0
        // An error in here comes from writing the file; an error outside comes from the connection.
        var pieces = response.body.makeAsyncIterator()
        while let piece = try await next(&pieces) {
            count += piece.readableBytes
            try write(Data(piece.readableBytesView))
        }
        return count
    }

    private func next(_ pieces: inout HTTPClientResponse.Body.AsyncIterator) async throws -> ByteBuffer? {
        do {
            return try await pieces.next()
        } catch {
            try Task.checkCancellation()
            throw AdminClientError.cutOff(server: server)
        }
    }

    private func error(_ response: HTTPClientResponse) async throws -> AdminClientError {
        let body = try await response.body.collect(upTo: Self.maximumResponseBytes)
        return AdminClientError(
            status: Int(response.status.code),
            body: try? CheckedJSON.decode(ErrorBody.self, from: Data(body.readableBytesView)), server: server, key: key
        )
    }
}
