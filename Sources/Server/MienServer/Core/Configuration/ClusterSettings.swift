/// How the servers that share a database reach each other.
package struct ClusterSettings: Sendable {
    /// Where this server takes requests of the others.
    package let listen: ListenAddress
    /// The host and port under which the others reach it. The host is in its certificate.
    package let address: String
    package let files: TLSFiles
}

extension ServerConfiguration {
    /// `nil` if this server passes nothing on.
    package var cluster: ClusterSettings? {
        guard let listen = ListenAddress(text("cluster.listen")) else { return nil }
        return ClusterSettings(
            listen: listen, address: text("cluster.address"),
            files: TLSFiles(
                certificate: text("cluster.certificate"), key: text("cluster.key"),
                authorities: text("cluster.ca"), section: "cluster"))
    }

    /// Returns what is wrong with the settings of the cluster.
    static func clusterFault(_ texts: [String: String]) -> String? {
        let names = ["listen", "address", "certificate", "key", "ca"].map { "cluster.\($0)" }
        let missing = names.filter { texts[$0, default: ""].isEmpty }
        if missing.count == names.count { return nil }
        guard missing.isEmpty else {
            return
                "\(missing.joined(separator: ", ")): the settings cluster.listen, cluster.address, cluster.certificate, cluster.key, and cluster.ca belong together; set all, or none for a server that is alone"
        }
        for name in ["cluster.listen", "cluster.address"]
        where ListenAddress(texts[name, default: ""]) == nil {
            return
                "\(name) must be a host and a port, like 10.0.0.5:8443, not “\(texts[name] ?? "")”"
        }
        return nil
    }
}
