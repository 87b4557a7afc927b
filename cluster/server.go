package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/primitives"
	schema "go.temporal.io/server/schema/sqlite"
	"go.temporal.io/server/temporal"
)

// namespace is where the work of grove is in a Temporal.
const namespace = "default"

func newServer() *cobra.Command {
	var address, store string
	c := &cobra.Command{
		Use:   "server --store FILE",
		Short: "Keep the books of a small cluster",
		Long: `Run a Temporal server of one process, whose books are a file (SQLite): what is done is known again when it
is started anew. It speaks without encryption to everybody who reaches the address: let that be in a network of your
own. For a large cluster, or one that must not stop with a machine, run Temporal as its makers say (docs.temporal.io),
and give its address to workers and submit.`,
		Example: `  grove-cluster server --store books.db
  grove-cluster server --store books.db --address 10.0.0.1:7233`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if store == "" {
				return usagef("--store: want a file for the books")
			}
			s, err := startServer(address, store)
			if err != nil {
				return err
			}
			fmt.Fprintf(os.Stderr, "grove-cluster: serving at %s, books in %s; Ctrl-C stops it\n", s.address, store)
			<-c.Context().Done()
			return s.stop()
		},
	}
	addAddress(c.Flags(), &address)
	c.Flags().StringVar(&store, "store", "", "`FILE` with the books, made where there is none")
	return c
}

// server is Temporal in this process.
type server struct {
	temporal.Server
	address string
}

// startServer starts one at an address, with the books in a file.
func startServer(address, store string) (*server, error) {
	host, port, err := net.SplitHostPort(address)
	number, e := strconv.Atoi(port)
	if err != nil || e != nil {
		return nil, usagef("--address %s: want HOST:PORT", address)
	}
	ports, err := freePorts(host, number)
	if err != nil {
		return nil, fmt.Errorf("--address %s: %w", address, err)
	}
	if err := makeStore(store); err != nil {
		if strings.Contains(err.Error(), "SQLITE_BUSY") {
			err = errors.New("another process keeps these books; wait for it, or end it")
		}
		return nil, fmt.Errorf("--store %s: %w", store, err)
	}
	s := &server{address: net.JoinHostPort(host, strconv.Itoa(ports[0]))}
	c := configuration(host, ports, store)
	hosts := map[primitives.ServiceName]static.Hosts{}
	for name, service := range c.Services {
		hosts[primitives.ServiceName(name)] =
			static.SingleLocalHost(net.JoinHostPort(host, strconv.Itoa(service.RPC.GRPCPort)))
	}
	hosts[primitives.WorkerService] = static.SingleLocalHost(s.address) // which is asked for, and never spoken to
	logger := log.NewZapLogger(log.BuildZapLogger(log.Config{Level: "warn", OutputFile: store + ".log"}))
	s.Server, err = temporal.NewServer(
		temporal.WithConfig(c), temporal.ForServices(services()), temporal.WithStaticHosts(hosts),
		temporal.WithLogger(logger), temporal.WithDynamicConfigClient(dynamicconfig.StaticClient{}))
	if err == nil {
		err = s.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("no server: %w (see %s.log)", err, store)
	}
	return s, nil
}

// stop ends the server, in any case within some seconds: what it knows is in its file.
func (s *server) stop() error {
	ended := make(chan error, 1)
	go func() { ended <- s.Stop() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(10 * time.Second):
		return nil
	}
}

// services are those of a Temporal that plans need; the first is the one that is spoken to. The fourth, worker, runs
// schedules, batches and scavengers of large books; it takes half a second to start, and a second to stop.
func services() []string { return []string{"frontend", "history", "matching"} }

// freePorts returns a port for each service, the first the given one unless that is 0.
func freePorts(host string, first int) (ports []int, err error) {
	for range services() {
		l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(first)))
		if err != nil {
			return nil, err
		}
		defer func() { _ = l.Close() }()
		ports, first = append(ports, l.Addr().(*net.TCPAddr).Port), 0
	}
	return ports, nil
}

// sqlOf says how the books are kept: by one process at a time. A crash of that loses nothing, one of the machine at
// most the last moment, which the receipts of the parts make up for.
func sqlOf(store string) *config.SQL {
	return &config.SQL{PluginName: sqlite.PluginName, DatabaseName: store, ConnectAttributes: map[string]string{
		"mode": "rwc", "journal_mode": "wal", "synchronous": "normal", "locking_mode": "exclusive",
	}}
}

// makeStore makes the file of the books where there is none.
func makeStore(store string) error {
	sql := sqlOf(store)
	if _, err := os.Stat(store); errors.Is(err, fs.ErrNotExist) {
		if err := schema.SetupSchema(sql); err != nil {
			return err
		}
	}
	space, err := schema.NewNamespaceConfig(clusterName, namespace, false, nil)
	if err != nil {
		return err
	}
	return schema.CreateNamespaces(sql, space)
}

const clusterName = "grove"

func configuration(host string, ports []int, store string) *config.Config {
	c := &config.Config{}
	c.Global.Membership.MaxJoinDuration = 30 * time.Second
	c.Global.Membership.BroadcastAddress = host
	c.Persistence = config.Persistence{
		DefaultStore: "books", VisibilityStore: "books", NumHistoryShards: 1,
		DataStores: map[string]config.DataStore{"books": {SQL: sqlOf(store)}},
	}
	front := net.JoinHostPort(host, strconv.Itoa(ports[0]))
	c.ClusterMetadata = &cluster.Config{
		FailoverVersionIncrement: 10, MasterClusterName: clusterName, CurrentClusterName: clusterName,
		ClusterInformation: map[string]cluster.ClusterInformation{
			clusterName: {Enabled: true, InitialFailoverVersion: 1, RPCAddress: front},
		},
	}
	c.DCRedirectionPolicy.Policy = "noop"
	c.Services = map[string]config.Service{}
	for i, name := range services() {
		c.Services[name] = config.Service{RPC: config.RPC{GRPCPort: ports[i], BindOnIP: host}}
	}
	c.Archival.History.State, c.Archival.Visibility.State = "disabled", "disabled"
	c.NamespaceDefaults.Archival.History.State = "disabled"
	c.NamespaceDefaults.Archival.Visibility.State = "disabled"
	c.PublicClient.HostPort = front
	return c
}

// ready waits until the server answers.
func ready(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		c, err := dial(ctx, address)
		if err == nil {
			c.Close()
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(100 * time.Millisecond):
		}
	}
}
