import Hummingbird
import HummingbirdTesting
import Testing

@testable import BelfryAPI

@Suite("The description and the routes")
struct DescribedRoutesTests {
    @Test("WIRE-28: the description is served as JSON, the same text each time")
    func served() async throws {
        try await TestServer.run { server in
            let answer = try await server.call(.get, "/openapi.json")
            #expect(answer.status == .ok)
            #expect(answer.header("Content-Type") == "application/json")
            #expect(answer.header("Cache-Control") == "no-store")
            #expect(answer.header("X-Content-Type-Options") == "nosniff")
            let served = try JSONValue(parsing: answer.body.readableBytesView)
            #expect(served["openapi"] == .string("3.1.0"))
            #expect(served == APIDescription.own.document)
            let again = try await server.call(.get, "/openapi.json")
            #expect(again.text == answer.text)
        }
    }

    @Test("WIRE-28: every route is described once, and nothing else is")
    func routes() async throws {
        try await TestServer.run { server in
            let routes = server.routes.filter { !$0.hasPrefix("HEAD ") && !$0.hasPrefix("OPTIONS ") }.sorted()
            let described = APIDescription.own.operations.map { "\($0.method) \($0.path)" }.sorted()
            #expect(routes.count > 30)
            #expect(described == routes)
            // As a dictionary shows one of two that stand at the same place, the list behind it is counted too.
            #expect(OpenAPI.operations.count == described.count)
        }
    }

    @Test("WIRE-28: an address that fits two operations belongs to the one that says more")
    func lookUp() throws {
        let description = APIDescription.own
        #expect(description.operation("GET", at: "/api/v1/apps/shop/contacts?limit=1")?.id == "listContacts")
        #expect(description.operation("GET", at: "/api/v1/apps/shop/contacts/anna")?.id == "readContact")
        #expect(description.operation("PUT", at: "/v3/apps/shop/client/push_token")?.id == "putPushTokenByUnderscore")
        #expect(description.operation("PATCH", at: "/v3/apps/shop/client") == nil)
        #expect(description.operation("GET", at: "/v3/apps/shop/client/registration") == nil)
    }
}
