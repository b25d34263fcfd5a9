import BelfryAPI
import BelfryModel
import Foundation
import Testing

/// What is around a phone fails.
@Suite("A phone in trouble", .timeLimit(.minutes(15)))
struct PhoneTroubleTests {
    @Test("CON-14, CON-15: while the server is gone the inspector says so; nothing of it is lost when it is back")
    func serverGone() async throws {
        try await withStage { stage in
            let port = try await FreePorts.first(of: 1)
            var run = try stage.startServer(port: port)
            defer { run.send(SIGKILL) }
            let address = try #require(await run.address)
            let key = try String(contentsOf: stage.dataDirectory.appending(path: "admin-key"), encoding: .utf8)
            let server = ServerProcess(
                address: address, adminKey: key.trimmingCharacters(in: .whitespacesAndNewlines), run: run,
                readyAfter: .zero
            )
            let admin = stage.admin(server)
            try await admin.prepareForPhones()
            try await stage.withPhones(server) { phones in
                let phone = phones.phone()
                try await phone.press("open")
                let device = try #require(try await phone.sees("it is registered") { $0.isRegistered }.device)

                run.send(SIGKILL)
                _ = await run.exit
                try await phone.press("attribute", name: "city", value: "Oslo")
                try await phone.press("buy", name: "lamp")
                try await phone.press("kill")
                try await phone.press("open")
                try await phone.press("buy", name: "runner")
                // The attempt that the kill met says something else until the next.
                try await phone.sees("the server does not answer, and the edit waits") {
                    let app = $0.says(of: "The app")
                    return app.contains("The server has not answered for")
                        && app.contains("No server responds at this address.")
                        && $0.says(of: "Registration").hasPrefix("The edit of city waits")
                }

                run = try stage.startServer(port: port)
                _ = await run.address
                // Whoever opens the app cuts a long wait short (EVT-5), and the clock ends the minute (REG-4).
                try await phone.press("home")
                try await phone.press("clock", seconds: 7_200)
                try await phone.press("open")
                let events = try await eventually("everything has arrived") {
                    try await admin.events(of: device).filter { $0.name == "basket:add" }
                } until: {
                    $0.count == 2
                }
                #expect(events.map { $0.attributes["sku"] } == [.string("runner"), .string("lamp")])
                try await phone.sees("the server answers, and has processed the record") {
                    !$0.says(of: "The app").contains("has not answered") && $0.isRegistered
                        && $0.says(of: "Registration").contains("accepted the record")
                }
            }
        }
    }

    @Test("CON-14, CON-15: a push service that is gone, and comes back without its tokens, is told and outlasted")
    func pushServiceGone() async throws {
        try await withStage { stage in
            try await stage.withServer { server in
                let admin = stage.admin(server)
                try await admin.prepareForPhones()
                let port = try await FreePorts.first(of: 1)
                let options = ["--control-port", "\(port)"]
                try await stage.withPushServices(options: options) { services in
                    _ = try await services.putCredentials(admin)
                    try await stage.withPhones(server, services) { phones in
                        let phone = phones.phone()
                        let device = try await phone.begin(admin)
                        let first = try #require(try await admin.device(device).pushToken)
                        await services.kill9()
                        try await phone.sees("the push service does not answer") {
                            $0.says(of: "The app").contains("The push service does not answer")
                        }
                        try await phone.press("buy", name: "lamp")
                        try await phone.sees("everything else works") {
                            $0.says(of: "Event queue").hasPrefix("No event waits")
                        }
                        try await stage.withPushServices(options: options) { services in
                            try await phone.sees("the new one does not know its token") {
                                $0.lines.contains { $0.contains("no longer knows this phone's token") }
                            }
                            _ = try await services.putCredentials(admin)
                            try await phone.press("kill")
                            try await phone.press("open")
                            try await eventually("the server has another token") {
                                try await admin.device(device)
                            } until: {
                                $0.pushToken != nil && $0.pushToken != first && $0.push.eligible
                            }
                            try await phone.sees("it has another") {
                                $0.says(of: "Push token").contains("The server has it since")
                            }
                            try await phone.press("lock")
                            _ = try await admin.push("Back")
                            try await phone.sees("a push comes") { $0.titles == ["Back"] }
                        }
                    }
                }
            }
        }
    }
}
