import ArgumentParser

struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run look-alikes of push services and devices, to test against without any account.",
        subcommands: [SimulatePushServicesCommand.self, SimulateDevicesCommand.self]
    )
}
