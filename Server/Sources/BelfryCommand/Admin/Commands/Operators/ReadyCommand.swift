import ArgumentParser
import BelfryServices

/// Reports by its exit code whether a server is ready: for containers, deployments and scripts that have no curl
/// (FLEET-10).
struct ReadyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ready",
        abstract: "Ask a server whether it can serve.",
        discussion: """
            Asks /readyz, without a key. The exit code is 0 if the server is ready, 1 if it is not, if it cannot be \
            reached or if it is no Belfry server. Changes nothing.
            """
    )

    @OptionGroup var admin: AdminOptions

    func run() async throws {
        let check = try await admin.withConnections { address, http in
            ServerCheck(
                address: address,
                state: await DoctorServer.look(at: address, http, now: ServerEnvironment.live.now).state
            )
        }
        var report = DoctorReport()
        report.add(check)
        try admin.show(report, \.text)
        guard report.verdict == .ok else { throw ExitCode(1) }
    }
}
