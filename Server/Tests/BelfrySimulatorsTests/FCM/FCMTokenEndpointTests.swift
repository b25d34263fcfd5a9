import AsyncHTTPClient
import BelfrySimulators
import Foundation
import Testing

@Suite("Token endpoint of the FCM simulator")
struct FCMTokenEndpointTests {
    private struct Rejection: Decodable {
        var error: String
    }

    @Test(
        "PUSH-2: a valid assertion gets an access token, over HTTP/2 and over HTTP/1.1",
        arguments: [true, false])
    func accessToken(_ isHTTP2: Bool) async throws {
        var configuration = FCMSimulator.Configuration()
        configuration.accessTokenLifetime = 120
        try await FCMSimulation.run(configuration, isHTTP2 ? .automatic : .http1Only) { simulation in
            let response = try await simulation.requestToken()
            #expect(response.status == 200)
            #expect(response.isHTTP2 == isHTTP2)
            let token = try response.json(FCMSimulation.AccessToken.self)
            #expect(token.expiresIn == 120)
            #expect(token.tokenType == "Bearer")
            let device = simulation.simulator.issueToken(projectID: FCMSimulation.project)
            let good = try await simulation.send(to: device, accessToken: token.accessToken)
            #expect(good.status == 200)
            #expect(good.isHTTP2 == isHTTP2)
            simulation.clock.advance(by: 120)
            let late = try await simulation.send(to: device, accessToken: token.accessToken)
            #expect(late.status == 401)
            #expect(try late.json(FCMSimulation.Rejection.self).error.status == "UNAUTHENTICATED")
            #expect(late.fields["www-authenticate"]?.hasPrefix("Bearer") == true)
        }
    }

    @Test("PUSH-2: the simulator's own service account file has everything that a sender needs")
    func serviceAccountFile() async throws {
        try await FCMSimulation.run { simulation in
            let file = try simulation.simulator.makeServiceAccount(projectID: "another")
            let members = try JSONDecoder().decode([String: String].self, from: Data(file.utf8))
            #expect(members["type"] == "service_account")
            #expect(members["project_id"] == "another")
            #expect(members["token_uri"] == simulation.addresses.tokenURI)
            #expect(members["private_key"]?.hasPrefix("-----BEGIN PRIVATE KEY-----\n") == true)
            #expect(members["client_email"]?.hasSuffix("@another.iam.gserviceaccount.com") == true)
            #expect(members["private_key_id"]?.isEmpty == false)
        }
    }

    @Test("PUSH-2: an assertion for Google's own address is taken, as google-auth signs it")
    func googleAudience() async throws {
        try await FCMSimulation.run { simulation in
            var claims = simulation.goodClaims
            claims.audience = "https://oauth2.googleapis.com/token"
            let response = try await simulation.requestToken(claims)
            #expect(response.status == 200)
        }
    }

    @Test("PUSH-21: any invalid assertion gets invalid_grant")
    func badAssertions() async throws {
        try await FCMSimulation.run { simulation in
            let now = simulation.clock.now
            let good = simulation.goodClaims
            var otherAudience = good
            otherAudience.audience = "https://oauth2.example.com/token"
            var long = good
            long.life = 3_601
            var future = good
            future.issuedAt = now.addingTimeInterval(400)
            var past = good
            past.issuedAt = now.addingTimeInterval(-4_000)
            var unsigned = good
            unsigned.algorithm = "none"
            for claims in [otherAudience, long, future, past, unsigned] {
                let response = try await simulation.requestToken(claims)
                #expect(response.status == 400, "\(claims)")
                #expect(try response.json(Rejection.self).error == "invalid_grant", "\(claims)")
            }
            let otherAccount = try await simulation.requestToken(by: TestServiceAccount(key: 1))
            #expect(try otherAccount.json(Rejection.self).error == "invalid_grant")
            var nobody = simulation.account
            nobody.clientEmail = "nobody@example.iam.gserviceaccount.com"
            let unknown = try await simulation.requestToken(by: nobody)
            #expect(try unknown.json(Rejection.self).error == "invalid_grant")
            #expect(simulation.simulator.statistics.tokenRequestsRefused == ["invalid_grant": 7])
        }
    }

    @Test("PUSH-2: a request that is not a grant gets an error that says why")
    func badRequests() async throws {
        try await FCMSimulation.run { simulation in
            var claims = simulation.goodClaims
            claims.scope = ""
            let scope = try await simulation.requestToken(claims)
            #expect(try scope.json(Rejection.self).error == "invalid_scope")
            let assertion = try simulation.account.assertion(simulation.goodClaims)
            let grant = try await FCMSimulation.requestToken(
                assertion, simulation.addresses, simulation.client, grantType: "password"
            )
            #expect(try grant.json(Rejection.self).error == "unsupported_grant_type")
            let form = try await simulation.client.call(
                "POST", simulation.addresses.tokenURI, fields: ["content-type": "application/json"],
                body: Array("{}".utf8)
            )
            #expect(form.status == 400)
            #expect(try form.json(Rejection.self).error == "invalid_request")
        }
    }

    @Test("PUSH-21: an access token of another scope, another project or a revoked one is a credential error")
    func otherGrants() async throws {
        try await FCMSimulation.run { simulation in
            let device = simulation.simulator.issueToken(projectID: FCMSimulation.project)
            var claims = simulation.goodClaims
            claims.scope = "https://www.googleapis.com/auth/devstorage.read_only"
            let narrow = try await simulation.requestToken(claims).json(FCMSimulation.AccessToken.self)
            let scope = try await simulation.send(to: device, accessToken: narrow.accessToken)
            #expect(scope.status == 403)
            let elsewhere = try await simulation.send(to: device, project: "another")
            #expect(elsewhere.status == 403)
            #expect(try elsewhere.json(FCMSimulation.Rejection.self).error.status == "PERMISSION_DENIED")
            #expect(try elsewhere.json(FCMSimulation.Rejection.self).errorCode == nil)
            simulation.simulator.revokeAccessTokens()
            let revoked = try await simulation.send(to: device)
            #expect(revoked.status == 401)
            #expect(try simulation.simulator.acceptedCount(of: device) == 0)
        }
    }

    @Test("PUSH-2: the token endpoint has its own faults")
    func faults() async throws {
        try await FCMSimulation.run { simulation in
            simulation.simulator.setTokenFaults(try FaultPlan(seed: 1, rates: [.serviceUnavailable: 1], retryAfter: 7))
            let response = try await simulation.requestToken()
            #expect(response.status == 503)
            #expect(response.fields["retry-after"] == "7")
            let device = simulation.simulator.issueToken(projectID: FCMSimulation.project)
            let sent = try await simulation.send(to: device)
            #expect(sent.status == 200)
            #expect(simulation.simulator.statistics.tokenFaults == ["serviceUnavailable": 1])
        }
    }
}
