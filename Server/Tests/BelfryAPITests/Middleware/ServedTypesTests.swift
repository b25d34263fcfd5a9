import Hummingbird
import Testing

@Suite("The server serves no pages")
struct ServedTypesTests {
    /// Content types that no browser renders as a page, together with `nosniff`.
    private static let types: Set = ["application/json", "text/plain"]

    @Test("SEC-4: no response is HTML, or another type that a browser shows as a page")
    func described() {
        let description = APIDescription.own
        var answers = 0
        for operation in description.operations {
            for (status, response) in operation.responses {
                for type in (description.resolved(response)["content"] ?? .null).members.keys {
                    answers += 1
                    #expect(Self.types.contains(type), "\(operation.id) \(status)")
                }
            }
        }
        #expect(answers > 200)
    }

    @Test("SEC-4: each operation returns data, even if a browser asks for a page, and for every error")
    func served() async throws {
        try await CallStage.run { stage in
            var bodies = 0
            for operation in APIDescription.own.operations {
                var call = try stage.call(operation)
                call.headers["Accept"] = "text/html,application/xhtml+xml,*/*;q=0.1"
                let others = [HTTPRequest.Method.get, .head, .options, .delete].filter { $0 != call.method }
                var texts: [String?] = ["<html><script>1</script>", nil]
                if let body = call.body { texts.insert(body.text, at: 0) }
                for method in [call.method] + others {
                    for text in texts {
                        var tried = call
                        if method != call.method { tried = StagedCall(call, method: method) }
                        let answer = try await stage.send(tried, bytes: text.map { Array($0.utf8) })
                        guard answer.body.readableBytes > 0 else { continue }
                        bodies += 1
                        #expect(answer.header("X-Content-Type-Options") == "nosniff", "\(operation.id) \(method)")
                        let type = answer.header("Content-Type").map { String($0.prefix { $0 != ";" }) }
                        #expect(type.map(Self.types.contains) == true, "\(operation.id) \(method): \(type ?? "none")")
                    }
                }
            }
            #expect(bodies > 200)
        }
    }

    @Test(
        "SEC-4: addresses without a route return data, too",
        arguments: ["/", "/index.html", "/console", "/preview/1", "/%3Cscript%3E"])
    func unknown(path: String) async throws {
        try await TestServer.run { server in
            for method in [HTTPRequest.Method.get, .post, .put] {
                let answer = try await server.call(method, path, bytes: nil, headers: ["Accept": "text/html"])
                #expect(answer.status == .notFound || answer.status == .methodNotAllowed)
                #expect(answer.header("Content-Type") == "application/json", "\(method) \(path)")
                #expect(answer.header("X-Content-Type-Options") == "nosniff")
            }
        }
    }
}

extension StagedCall {
    fileprivate init(_ call: StagedCall, method: HTTPRequest.Method) {
        self.init(
            operation: call.operation, method: method, address: call.address, headers: call.headers, body: call.body
        )
    }
}
