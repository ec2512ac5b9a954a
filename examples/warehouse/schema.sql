-- Landing tables: as delivered, everything text, no keys.
create table raw.ticket_sales (sale_no text, sold_at text, train_no text, from_code text, to_code text, price text);
create table raw.train_runs (train_no text, run_date text, station_code text, planned text, actual text);
create table raw.stations (code text, name text, region text);

-- Cleaned, one table for each landing table.
create table staging.sales (sale_id bigint, sold_at timestamp, train_no varchar(10), from_code char(3), to_code char(3), price numeric(8, 2));
create table staging.runs (train_no varchar(10), run_date date, station_code char(3), planned timestamp, actual timestamp);
create table staging.stations (code char(3), name varchar(80), region varchar(40));

create table core.region (
  region_id integer primary key,
  name varchar(40) not null unique
);

create table core.station (
  station_id integer primary key,
  code char(3) not null unique,
  name varchar(80) not null,
  region_id integer not null references core.region (region_id)
);

create table core.train (
  train_id integer primary key,
  train_no varchar(10) not null unique
);

create table core.run (
  run_id bigint primary key,
  train_id integer not null,
  run_date date not null,
  constraint run_of_train foreign key (train_id) references core.train (train_id)
);

create table core.stop (
  run_id bigint not null references core.run (run_id),
  station_id integer not null references core.station (station_id),
  planned timestamp,
  actual timestamp,
  primary key (run_id, station_id)
);

create table core.ticket (
  ticket_id bigint primary key,
  train_id integer not null references core.train (train_id),
  from_station integer not null,
  to_station integer not null,
  sold_at timestamp not null,
  price numeric(8, 2) not null
);
alter table core.ticket add constraint ticket_from foreign key (from_station) references core.station (station_id);
alter table core.ticket add constraint ticket_to foreign key (to_station) references core.station (station_id);

create table mart.revenue_by_station (station_id integer primary key, station_name varchar(80), tickets bigint, revenue numeric(12, 2));
create table mart.punctuality (train_id integer, run_date date, delay_minutes numeric(8, 2), primary key (train_id, run_date));

-- Nothing refers to these from outside.
create table hr.employee (employee_id integer primary key, name varchar(80), manager_id integer references hr.employee (employee_id));
create table hr.contract (contract_id integer primary key, employee_id integer not null references hr.employee (employee_id), since date);
